import { isoInstant, type Clock } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { MadeRefund } from '#ports/payment-provider.ts';
import type { NotDone, RefundOutcome } from '#ports/payment-requests.ts';
import { CHARGES, listAll, type SandboxCharge } from './sandbox-books.ts';
import { tokenNamed } from './sandbox-tokens.ts';

interface SandboxRefund extends Document, MadeRefund {
  /** Missing in the oldest, which are done. */
  readonly status?: 'Pending' | 'Completed' | 'Failed';
  /** Under which it is entered at its charge; missing in the oldest. */
  readonly entry?: string;
}

type FindCharge = (transactionId: string) => Promise<SandboxCharge | null>;

const REFUNDS = 'sandbox_refunds';

/** Every refund that the sandbox has made, oldest first, without those on their way and those that failed. */
export const listSandboxRefunds = async (stateStore: DocumentStore): Promise<readonly MadeRefund[]> => {
  const refunds = await listAll<SandboxRefund>(stateStore, REFUNDS);
  return refunds.filter(({ status = 'Completed' }) => status === 'Completed');
};

const failure: NotDone = { kind: 'refused', code: 'failed', message: 'The refund has failed.' };

const outcomeOf = ({ transactionId, status = 'Completed' }: SandboxRefund): RefundOutcome => {
  if (status === 'Failed') return failure;
  return { kind: status === 'Pending' ? 'pending' : 'completed', transactionId };
};

const refundNamed = async (store: DocumentStore, transactionId: string): Promise<SandboxRefund | null> => {
  const [refund] = await store.find<SandboxRefund>(REFUNDS, { filter: { transactionId }, limit: 1 });
  return refund ?? null;
};

const refuse = (code: string, message: string): NotDone => ({ kind: 'refused', code, message });

/** Takes an amount off what is left of a charge, once a key; null: not so much is left. */
const takeOff = async (
  store: DocumentStore,
  { _id, amountMinor: whole }: SandboxCharge,
  entry: string,
  amount: number,
): Promise<SandboxCharge | null> => {
  const isNew = { _id, status: 'Completed', [`refunds.${entry}`]: { exists: false } };
  const entered = { [`refunds.${entry}`]: amount };
  const increment = { refunded: amount };
  return (
    (await store.updateIf<SandboxCharge>(
      CHARGES,
      { ...isNew, refunded: { lt: whole - amount } },
      { set: entered, increment },
    )) ??
    (await store.updateIf<SandboxCharge>(
      CHARGES,
      { ...isNew, refunded: whole - amount },
      { set: { ...entered, status: 'Refunded' }, increment },
    ))
  );
};

/** Gives an amount back, once a key, and never more than was charged. */
const giveBack =
  (store: DocumentStore, find: FindCharge, now: () => string) =>
  async (
    key: string,
    chargeTransactionId: string,
    { amountMinor, currency }: Pick<SandboxCharge, 'amountMinor' | 'currency'>,
    /** As a callback calls it, whose word it is that it was done. */
    toldOf: string | null = null,
  ): Promise<RefundOutcome> => {
    const isToldOf = toldOf !== null;
    const transactionId = toldOf ?? `sandbox-refund-${derivedId('sandbox-refund', key)}`;
    const charge = await find(chargeTransactionId);
    const made = await refundNamed(store, transactionId);
    if (made !== null) return outcomeOf(made);
    if (charge === null) return refuse('no_such_charge', 'There is no such charge.');
    if (charge.currency !== currency) return refuse('wrong_currency', `The charge is in ${charge.currency}.`);
    if (amountMinor <= 0) return refuse('invalid_amount', 'Must be an amount above 0.');
    const entry = derivedId('refund-entry', key);
    const isEntered = async () => (await find(chargeTransactionId))?.refunds[entry] !== undefined;
    const taken = await takeOff(store, charge, entry, amountMinor);
    if (taken === null && !(await isEntered()))
      return refuse('amount_too_large', 'The charge has less left than that.');
    const { invoiceId } = charge;
    const amount = { amountMinor, currency };
    const isDone = isToldOf || tokenNamed(charge.token)?.refunds === undefined;
    const status = isDone ? ('Completed' as const) : ('Pending' as const);
    const row: SandboxRefund = {
      ...{ _id: key, invoiceId, chargeTransactionId, transactionId, ...amount, entry, status },
      dateCreated: now(),
    };
    await store.insertIfAbsent(REFUNDS, row);
    return { kind: isDone ? 'completed' : 'pending', transactionId };
  };

/** It failed, whether it was done or on its way: the charge has its money again, once. */
const fail = async (
  store: DocumentStore,
  { _id, chargeTransactionId, entry, amountMinor }: SandboxRefund,
) => {
  await store.updateIf(REFUNDS, { _id }, { set: { status: 'Failed' } });
  const place = `failedRefunds.${entry ?? derivedId('refund-entry', _id)}`;
  const filter = { transactionId: chargeTransactionId, [place]: { exists: false } };
  const [charge] = await store.find<SandboxCharge>(CHARGES, { filter, limit: 1 });
  if (!charge) return;
  await store.updateIf(
    CHARGES,
    { _id: charge._id, [place]: { exists: false } },
    { set: { [place]: amountMinor, status: 'Completed' }, increment: { refunded: -amountMinor } },
  );
};

/** What the sandbox gives back: at once, or as the token of the charge says (docs/rules/payments.md#sandbox-tokens). */
export const openSandboxRefunds = async (store: DocumentStore, clock: Clock, find: FindCharge) => {
  await store.declare(REFUNDS, [{ fields: ['dateCreated'] }, { fields: ['transactionId'] }]);
  return {
    refund: giveBack(store, find, () => isoInstant(clock.now())),

    /** One that will fail does so when it is looked up. */
    lookUp: async (transactionId: string): Promise<RefundOutcome> => {
      const refund = await refundNamed(store, transactionId);
      if (refund === null) return { kind: 'unknownOutcome' };
      if (refund.status !== 'Pending') return outcomeOf(refund);
      const charge = await find(refund.chargeTransactionId);
      if (tokenNamed(charge?.token ?? '')?.refunds !== 'failing') return outcomeOf(refund);
      await fail(store, refund);
      return failure;
    },

    /** A callback's word for one that was on its way, or done. */
    end: async (transactionId: string, how: 'Completed' | 'Failed'): Promise<void> => {
      const refund = await refundNamed(store, transactionId);
      if (refund === null) return;
      if (how === 'Failed') return fail(store, refund);
      await store.updateIf(REFUNDS, { _id: refund._id, status: 'Pending' }, { set: { status: how } });
    },
  };
};
