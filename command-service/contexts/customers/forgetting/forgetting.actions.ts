import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { personalStreams } from '#command/engine/personal-streams.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idOf } from '#values/stream-name.ts';
import type { ForgottenPerson, StartForgetting } from '../customer.commands.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { dueInStoreCurrency } from '../../invoices/payments/owed.state.ts';
import { customerStream } from '../customer.stream.ts';
import { isForgettingWaiting, type CustomerForgetting, type ForgettingDeps } from './forget-customer.ts';

/** What is asked outside the customer's stream must still be so once the forgetting has begun: the keys see to that. */
const refuseWhilePlacing = async ({ apis, reach }: ForgettingDeps, customerId: string): Promise<void> => {
  await reach();
  if (!(await apis.checkout.isPlacingFor(customerId))) return;
  throw new Rejection(
    'order-being-placed',
    'An order of this customer is being placed. Try again in a moment.',
  );
};

const stateOf = async ({ streams }: ForgettingDeps, id: string) =>
  (await streams.load(customerStream, id)).state;

/**
 * Who typed the e-mail address of an abandoned checkout; its basket, where an older release did not note who that is.
 * Its key tells, or what is known of its record.
 */
const guestOf = async ({ subjectKeys, apis }: ForgettingDeps, recordId: string): Promise<string | null> => {
  const subject = await subjectKeys.ofRecord(recordId);
  if (subject) return subject.customerId ?? subject.id;
  const basketId = await apis.abandonedCheckouts.basketOf(recordId);
  return basketId && ((await subjectKeys.customerOf(basketId)) ?? basketId);
};

/** The buyer named in the session or cart of this stream; null: it does not exist. */
const namedByAgent = async (
  { store, subjectKeys }: ForgettingDeps,
  stream: string,
): Promise<string | null> => {
  const [started] = await store.readStream(stream, { fromRevision: 0, limit: 1 });
  if (!started) return null;
  const { basketId } = JSON.parse(started.data) as { readonly basketId: string };
  return (await subjectKeys.customerOf(basketId)) ?? basketId;
};

/** How many confirmed sales of a guest are still to be paid: those without an e-mail address are no customer's. */
const salesOwedBy = async (
  { store, subjectKeys: keys, streams }: ForgettingDeps,
  guestId: string,
): Promise<number> => {
  let owed = 0;
  for await (const { invoiceIds } of personalStreams({ store, keys }, guestId))
    for (const id of invoiceIds) {
      const { state } = await streams.load(invoiceStream, id);
      if (isKnown(state) && state.isConfirmed && dueInStoreCurrency(state) > 0) owed++;
    }
  return owed;
};

/** Although money is still due. */
type Forcing = Pick<StartForgetting, 'force'>;

/** Drives it as far as it comes now; the rest comes by itself. */
const drive = async (
  deps: ForgettingDeps,
  forgetting: CustomerForgetting,
  id: string,
  meta: CommandMeta,
): Promise<ForgottenPerson> => {
  let position = 0;
  try {
    position = (await forgetting.resume(id, stepMeta(meta)))?.position ?? 0;
  } catch (error) {
    if (!isForgettingWaiting(error)) throw error;
  }
  const state = await stateOf(deps, id);
  return { id, forgottenAt: state.status === 'forgotten' ? state.forgottenAt : null, position };
};

/**
 * Forgets people. Errors: `entity-not-found`, `money-still-due`, `order-being-placed`; of a record of someone who was
 * never a customer, or of what an agent named them in, `entity-not-found`, `belongs-to-customer`, `money-still-due`.
 */
export const createForgettingActions = (deps: ForgettingDeps, forgetting: CustomerForgetting) => {
  const start = async (
    id: string,
    command: Omit<StartForgetting, 'type'>,
    meta: CommandMeta,
  ): Promise<ForgottenPerson> => {
    const { streams } = deps;
    const state = await stateOf(deps, id);
    if (state.status === 'known') await refuseWhilePlacing(deps, id);
    const { position } = await streams.send(
      customerStream,
      id,
      { type: 'StartForgetting', ...command },
      meta,
    );
    const done = await drive(deps, forgetting, id, meta);
    return { ...done, position: Math.max(position, done.position) };
  };
  const startOfGuest = async (
    guestId: string,
    { force, ...named }: Pick<StartForgetting, 'force' | 'namedIn'>,
    meta: CommandMeta,
  ): Promise<ForgottenPerson> => {
    const salesOwed = await salesOwedBy(deps, guestId);
    return start(guestId, { force, isGuest: true, salesOwed, ...named }, meta);
  };
  return {
    forget: async (id: string, { force }: Forcing, meta: CommandMeta) => {
      const { status } = await stateOf(deps, id);
      if (status === 'unknown') throw notFound('customer');
      return start(id, { force }, meta);
    },
    forgetRecord: async (recordId: string, how: Forcing, meta: CommandMeta) => {
      const guestId = await guestOf(deps, recordId);
      if (guestId === null) throw notFound('abandoned checkout');
      const done = await startOfGuest(guestId, how, meta);
      return { ...done, id: recordId };
    },
    /** Forgets the buyer named in an agent's session or cart, by its stream. */
    forgetNamed: async (stream: string, what: string, { force }: Forcing, meta: CommandMeta) => {
      const guestId = await namedByAgent(deps, stream);
      if (guestId === null) throw notFound(what);
      const done = await startOfGuest(guestId, { force, namedIn: stream }, meta);
      return { ...done, id: idOf(stream) };
    },
  };
};

export type ForgettingActions = ReturnType<typeof createForgettingActions>;
