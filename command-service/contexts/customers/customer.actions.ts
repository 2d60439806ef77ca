import { actOnClaims, without } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { MAX_ADDRESSES, type Customer } from '#entities/customer.entity.ts';
import type { CustomerAddress, CustomerDetails } from '#events/customer.events.ts';
import { notFound } from '#kernel/entity.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { normalEmail } from '#values/email-address.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import type {
  ChangeCustomer,
  CustomerAccount,
  CustomerCommand,
  CustomersApi,
  RegisterCustomer,
} from './customer.commands.ts';
import { emailValue, isHeldByAnother, isRefused, ownersOf, valuesOf } from './customer-claims.ts';
import type { AccountRemoval } from './account-removal.ts';
import { segmentsOf } from './customer-segments.ts';
import { type CustomerState, outstandingOf } from './customer.state.ts';
import { customerStream } from './customer.stream.ts';

const accountIn = (customerId: string, state: CustomerState): CustomerAccount | null => {
  if (state.status !== 'known' || !state.fields.hasAccountTerms) return null;
  const { paymentTermsDays, creditLimit } = state.fields;
  return { customerId, paymentTermsDays, creditLimit, outstanding: outstandingOf(state) };
};

/** From the customer's own stream, which the engine keeps. */
const accountOf =
  ({ streams }: Pick<CommandDeps, 'streams'>): CustomersApi['accountOf'] =>
  async (customerId) =>
    accountIn(customerId, (await streams.load(customerStream, customerId)).state);

/** The account of a member who names their own e-mail address; null for any other, and for one who is not linked. */
const accountOfMember =
  ({ streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>) =>
  async (memberId: string, email: string): Promise<CustomerAccount | null> => {
    const customerId = await apis.members.customerOf(memberId);
    if (customerId === null) return null;
    const { state } = await streams.load(customerStream, customerId);
    const isTheirs = state.status === 'known' && state.fields.email === normalEmail(email);
    return isTheirs ? accountIn(customerId, state) : null;
  };

/** A customer as staff see one after a change. */
export interface SavedCustomer {
  readonly customer: Customer;
  readonly position: number;
  readonly hasChanged: boolean;
}

const customerOf = (id: string, state: CustomerState): Customer => {
  if (state.status !== 'known') throw notFound('customer');
  const { fields, figures, dateCreated, dateUpdated } = state;
  return { id, fields, figures, dateCreated, dateUpdated };
};

/** Throws what the command would be refused with, by the owner's hooks too. */
const rehearse = ({ streams }: CommandDeps, id: string, command: CustomerCommand, meta: CommandMeta) =>
  streams.rehearse(customerStream, id, command, meta, { isProcessStep: true });

const isFreeFor =
  (deps: CommandDeps): CustomersApi['isFreeFor'] =>
  async (customerId, given) => {
    const email = normalEmail(given);
    const asked = deps.claims.refuseTaken([emailValue(email)], customerId, ownersOf(deps, email));
    return !(await isRefused(asked));
  };

/** Hooks may object to a new customer before anything is claimed: a refusal leaves nothing behind. */
const askBeforeClaiming = async (
  deps: CommandDeps,
  candidate: string,
  command: RegisterCustomer,
  meta: CommandMeta,
): Promise<void> => {
  if (!(await isHeldByAnother(deps, command.email, candidate)))
    await rehearse(deps, candidate, command, meta);
};

const isConflict = (error: unknown): boolean => error instanceof Rejection && error.code === 'conflict';

/** Deleted, or being forgotten; false for one who is yet to come. */
const isGone = async ({ streams }: Pick<CommandDeps, 'streams'>, id: string): Promise<boolean> => {
  const { status } = (await streams.load(customerStream, id)).state;
  return status !== 'known' && status !== 'unknown';
};

/** Whoever has claimed the address may not be there yet, or not any more. */
const withEmail =
  ({ streams, claims }: CommandDeps): CustomersApi['withEmail'] =>
  async (given) => {
    const email = normalEmail(given);
    const { kind } = emailValue(email);
    const ownerId = await claims.ownerOf(kind, email);
    if (ownerId === null) return null;
    const { state } = await streams.load(customerStream, ownerId);
    return state.status === 'known' && state.fields.email === email ? ownerId : null;
  };

/** False for one who is yet to come: an e-mail address is claimed before that, where it was only typed or named. */
const isKnown = async ({ streams }: Pick<CommandDeps, 'streams'>, id: string): Promise<boolean> =>
  (await streams.load(customerStream, id)).state.status === 'known';

/** A crash between claim and registration leaves a claim whose owner the next address registers. */
const ensure =
  (deps: CommandDeps): CustomersApi['ensure'] =>
  async (details, meta, admission) => {
    const { streams, claims, commands } = deps;
    const email = normalEmail(details.email);
    const candidate = newId();
    const command = { type: 'RegisterCustomer', ...details, email } as const;
    const { kind } = emailValue(email);
    const register = async (id: string): Promise<string> => {
      const isNewId = id === candidate;
      await streams.send(customerStream, id, command, meta, { isProcessStep: true, isNewId });
      return id;
    };
    if (commands.isHooked) await askBeforeClaiming(deps, candidate, command, meta);
    const tooMany = admission?.take();
    if (tooMany && (await withEmail(deps)(email)) === null) throw tooMany;
    const claimed = await claims.claim(kind, email, candidate, meta);
    if (claimed.kind === 'ok') return register(candidate);
    if (!tooMany && admission && (await isKnown(deps, claimed.ownerId))) admission.giveBack();
    const [outcome] = await Promise.allSettled([register(claimed.ownerId)]);
    if (outcome.status === 'fulfilled') return outcome.value;
    if (!isConflict(outcome.reason)) throw outcome.reason;
    // Its owner has gone or has another address: a crash came before it was given back, or it is about to be.
    if (await isGone(deps, claimed.ownerId)) await claims.release(kind, email, claimed.ownerId, meta);
    const again = await claims.claim(kind, email, candidate, meta, ownersOf(deps, email));
    if (again.kind !== 'ok') throw outcome.reason;
    return register(candidate);
  };

/**
 * Only claims the address: it does not create the customer. Nothing personal is kept for one who is gone: what a kill
 * has kept from being given back, or a forgetting that waits for a provider, is given back here.
 */
const idFor =
  (deps: CommandDeps): CustomersApi['idFor'] =>
  async (given, meta) => {
    const { claims } = deps;
    const email = normalEmail(given);
    const candidate = newId();
    const { kind } = emailValue(email);
    const claimed = await claims.claim(kind, email, candidate, meta);
    if (claimed.kind === 'ok') return candidate;
    const { ownerId } = claimed;
    if (!(await isGone(deps, ownerId))) return ownerId;
    await claims.release(kind, email, ownerId, meta);
    const again = await claims.claim(kind, email, candidate, meta);
    return again.kind === 'ok' ? candidate : again.ownerId;
  };

/** Unpaid invoices of the basket itself say nothing against it. */
const isMadeBy =
  ({ streams, apis }: CommandDeps): CustomersApi['isMadeBy'] =>
  async (customerId, basketId) => {
    const { state } = await streams.load(customerStream, customerId);
    if (state.status !== 'known' || state.madeByBasket !== basketId) return false;
    if (state.figures.orderCount > 0) return false;
    const { order } = (await streams.load(basketLinesStream, basketId)).state;
    return apis.orders.countUnpaidOf(customerId) <= (order === null ? 0 : 1);
  };

const addressesOf =
  ({ streams }: Pick<CommandDeps, 'streams'>): CustomersApi['addressesOf'] =>
  async (customerId) => {
    const { state } = await streams.load(customerStream, customerId);
    return state.status === 'known' ? (state.fields.addresses ?? []) : [];
  };

const create = async (
  deps: CommandDeps,
  id: string,
  fields: CustomerDetails & { readonly email: string },
  meta: CommandMeta,
): Promise<SavedCustomer> => {
  const { claims, streams } = deps;
  const command = { type: 'CreateCustomer', fields } as const;
  const wanted = [emailValue(fields.email)];
  const owners = ownersOf(deps, fields.email);
  await rehearse(deps, id, command, meta);
  await claims.refuseTaken(wanted, id, owners);
  const gained = await claims.claimAll(wanted, id, meta, owners);
  return actOnClaims(claims, gained, id, meta, async () => {
    const { state, position, events } = await streams.send(customerStream, id, command, meta);
    const outcome = { customer: customerOf(id, state), position, hasChanged: events.length > 0 };
    return { outcome, had: [], has: valuesOf(state) };
  });
};

const change = async (
  deps: CommandDeps,
  id: string,
  changes: Partial<CustomerDetails>,
  meta: CommandMeta,
  how: Pick<ChangeCustomer, 'keepsAddresses'> = {},
): Promise<SavedCustomer> => {
  const { claims, streams } = deps;
  const { state: before } = await streams.load(customerStream, id);
  if (before.status !== 'known') throw notFound('customer');
  const had = valuesOf(before);
  const givenUpBefore = before.givenUp;
  const email = changes.email ?? null;
  const wanted = email === null ? [] : without([emailValue(email)], had);
  const command: ChangeCustomer = {
    type: 'ChangeCustomer',
    changes,
    ...how,
    ...(wanted.length > 0 && { givenUpBefore }),
  };
  const owners = ownersOf(deps, email ?? '');
  if (wanted.length > 0) {
    await rehearse(deps, id, command, meta);
    await claims.refuseTaken(wanted, id, owners);
  }
  const gained = await claims.claimAll(wanted, id, meta, owners);
  return actOnClaims(claims, gained, id, meta, async () => {
    const { state, position, events } = await streams.send(customerStream, id, command, meta);
    const outcome = { customer: customerOf(id, state), position, hasChanged: events.length > 0 };
    return { outcome, had, has: valuesOf(state) };
  });
};

/** Returns the position. */
const remove = async (
  { claims, streams }: CommandDeps,
  accounts: AccountRemoval,
  id: string,
  meta: CommandMeta,
): Promise<number> => {
  const { state: before } = await streams.load(customerStream, id);
  const { position } = await streams.send(customerStream, id, { type: 'DeleteCustomer' }, meta);
  await accounts.resume(id, meta);
  await claims.releaseAll(valuesOf(before), id, meta);
  return position;
};

/**
 * What can be done with customers. Errors: `invalid-request`, `entity-not-found`, `value-taken`, `already-exists`; of a
 * removal `entity-not-found`, `still-used`.
 */
export const createCustomerActions = (deps: CommandDeps, accounts: AccountRemoval) => ({
  ensure: ensure(deps),
  idFor: idFor(deps),
  isMadeBy: isMadeBy(deps),
  isFreeFor: isFreeFor(deps),
  moveTo: async (id: string, email: string, meta: CommandMeta): Promise<void> => {
    await change(deps, id, { email: normalEmail(email) }, meta);
  },
  withEmail: withEmail(deps),
  addressesOf: addressesOf(deps),
  keepAddresses: async (id: string, given: readonly CustomerAddress[], meta: CommandMeta): Promise<void> => {
    const room = MAX_ADDRESSES - (await addressesOf(deps)(id)).length;
    const addresses = given.slice(0, Math.max(0, room));
    if (addresses.length > 0) await change(deps, id, { addresses }, meta, { keepsAddresses: true });
  },
  segmentsOf: segmentsOf(deps),
  accountOf: accountOf(deps),
  accountOfMember: accountOfMember(deps),
  create: (id: string, fields: CustomerDetails & { readonly email: string }, meta: CommandMeta) =>
    create(deps, id, fields, meta),
  change: (
    id: string,
    changes: Partial<CustomerDetails>,
    meta: CommandMeta,
    how?: Pick<ChangeCustomer, 'keepsAddresses'>,
  ) => change(deps, id, changes, meta, how),
  remove: (id: string, meta: CommandMeta) => remove(deps, accounts, id, meta),
});

export type CustomerActions = ReturnType<typeof createCustomerActions>;
