import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView } from '#events/basket-view.ts';
import { memberIdOf } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { members, provenCustomer, type Member } from '#runtime/members.ts';
import type { IdentifyBuyer } from '../basket/basket.commands.ts';
import { noBasket, opensTo, reachableBasket, warningsOf, type BasketState } from '../basket/basket.state.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import { customerStream } from '../customers/customer.stream.ts';
import type { MembersApi, SettledBasket, TakenBasket } from './member.commands.ts';

const noneTaken: TakenBasket = { basketId: null, basket: null, warnings: [], position: 0 };

/** How often a basket is looked at again that changes while it is merged. */
const tries = 5;

interface Candidate {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly hasOrder: boolean;
}

interface Survivor {
  readonly basketId: string | null;
  readonly warnings: readonly string[];
}

const isRefusal = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Rejection && codes.includes(error.code);

/** Null for a basket that cannot be changed: bought, cleared or being bought. */
const changeable = (state: BasketState): BasketView | null =>
  state.status === 'placing' ? null : reachableBasket(state);

/** A basket that this member may take over; null for any other. */
const candidate = async (
  { streams }: CommandDeps,
  basketId: string | null,
  memberId: string,
): Promise<Candidate | null> => {
  if (basketId === null) return null;
  const { state } = await streams.load(basketLinesStream, basketId);
  const basket = changeable(state);
  if (basket === null || !opensTo(state, memberId)) return null;
  return { basketId, basket, hasOrder: state.order !== null };
};

/**
 * Puts the lines of one basket into another, and ends it. The surviving basket knows how far the other one has been
 * taken, so that what is sent twice, or again after a kill, neither doubles nor loses anything.
 */
const merge = async (
  { streams }: CommandDeps,
  from: string,
  into: string,
  meta: CommandMeta,
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const basket = changeable((await streams.load(basketLinesStream, from)).state);
    if (basket === null) return warnings;
    const { lines, codes } = basket;
    const taken = { type: 'MergeBasket', fromBasketId: from, lines, codes } as const;
    warnings.push(...warningsOf((await streams.send(basketLinesStream, into, taken, meta)).events));
    try {
      await streams.send(basketLinesStream, from, { type: 'EndMergedBasket', lines }, meta);
      return warnings;
    } catch (error) {
      if (isRefusal(error, 'order-being-placed')) return warnings;
      if (!isRefusal(error, 'conflict') || attempt === tries) throw error;
    }
  }
};

/** The basket with an order that can still be paid stays; else the one that the member had. */
const joined = async (
  deps: CommandDeps,
  brought: Candidate,
  own: Candidate,
  meta: CommandMeta,
): Promise<Survivor> => {
  const [into, from] = brought.hasOrder && !own.hasOrder ? [brought, own] : [own, brought];
  try {
    return { basketId: into.basketId, warnings: await merge(deps, from.basketId, into.basketId, meta) };
  } catch (error) {
    // It has been bought meanwhile, or is being bought: nothing of the other one is lost.
    if (isRefusal(error, 'order-being-placed', 'basket-not-found'))
      return { basketId: from.basketId, warnings: [] };
    throw error;
  }
};

const survivorOf = (
  deps: CommandDeps,
  brought: Candidate | null,
  own: Candidate | null,
  meta: CommandMeta,
): Promise<Survivor> => {
  const isBoth = brought && own && brought.basketId !== own.basketId;
  if (isBoth && brought.basket.lines.length > 0 && own.basket.lines.length > 0)
    return joined(deps, brought, own, meta);
  const isBroughtEmpty = !brought || brought.basket.lines.length === 0;
  const basketId = (isBroughtEmpty ? own : brought)?.basketId ?? brought?.basketId ?? null;
  return Promise.resolve({ basketId, warnings: [] });
};

/** The customer who the member has proven to be; null for none. */
const ownCustomer = async ({ streams }: CommandDeps, member: Member): Promise<string | null> => {
  if (member.customerId === null) return null;
  const { state } = await streams.load(customerStream, member.customerId);
  return provenCustomer(member, state.status === 'known' ? state.fields.memberKey : null);
};

/** Who buys, as a basket is told it: with the customer's segments of now. */
const buyerOf = async (deps: CommandDeps, member: Member) => {
  const customerId = await ownCustomer(deps, member);
  const segmentIds = customerId === null ? [] : await deps.apis.customers.segmentsOf(customerId);
  return { memberId: member._id, customerId, segmentIds: [...segmentIds].sort() };
};

/** Null: it needs no change. */
const tell = async (
  deps: CommandDeps,
  basketId: string,
  basket: BasketView,
  member: Member,
  meta: CommandMeta,
  by: Pick<IdentifyBuyer, 'byAgent'> = {},
): Promise<SettledBasket | null> => {
  const buyer = await buyerOf(deps, member);
  const { memberId, customerId, segmentIds } = basket;
  if (isSameJson(buyer, { memberId, customerId, segmentIds })) return null;
  const command = { type: 'IdentifyBuyer', ...buyer, ...by } as const;
  try {
    const sent = await deps.streams.send(basketLinesStream, basketId, command, stepMeta(meta));
    const changed = await deps.apis.checkout.withoutUsedUp(basketId, sent, meta);
    // The basket knew, and only this process did not: what it was before is not what was shown.
    return changed.events.length === 0 ? null : { ...changed, before: basket };
  } catch (error) {
    // It is being bought, or a shopper has taken it over: it stays as it was when that began.
    if (isRefusal(error, 'order-being-placed', 'basket-not-found')) return null;
    throw error;
  }
};

const identifyBuyer =
  (deps: CommandDeps): MembersApi['identifyBuyer'] =>
  async (basketId, memberId, meta) => {
    const { state } = await deps.streams.recall(basketLinesStream, basketId);
    const basket = changeable(state);
    if (basket === null) return null;
    if (!opensTo(state, memberId)) throw noBasket();
    const member = await deps.stateStore.get<Member>(members, memberId);
    return member && tell(deps, basketId, basket, member, meta, { byAgent: true });
  };

/** Baskets of members (docs/rules/members.md#basket). */
export const createMemberBaskets = (deps: CommandDeps) => {
  const { streams, stateStore } = deps;

  const identify = async (basketId: string, member: Member, meta: CommandMeta) => {
    const command = { type: 'IdentifyBuyer', ...(await buyerOf(deps, member)) } as const;
    const identified = await streams.send(basketLinesStream, basketId, command, stepMeta(meta));
    return deps.apis.checkout.withoutUsedUp(basketId, identified, meta);
  };

  /** False when another request came first. */
  const keep = async ({ _id, basketId: before }: Member, basketId: string): Promise<boolean> =>
    before === basketId ||
    (await stateStore.updateIf(members, { _id, basketId: before }, { set: { basketId } })) !== null;

  const take: MembersApi['takeBasket'] = async (memberId, cookieBasketId, meta) => {
    for (let attempt = 1; attempt <= tries; attempt++) {
      const member = await stateStore.get<Member>(members, memberId);
      if (!member) return noneTaken;
      const [brought, own] = await Promise.all([
        candidate(deps, cookieBasketId, memberId),
        candidate(deps, member.basketId, memberId),
      ]);
      const { basketId, warnings } = await survivorOf(deps, brought, own, stepMeta(meta));
      if (basketId === null) return noneTaken;
      if (!(await keep(member, basketId))) continue;
      try {
        const { state, events, position } = await identify(basketId, member, meta);
        return { basketId, basket: state.basket, warnings: [...warnings, ...warningsOf(events)], position };
      } catch (error) {
        // Another member has signed in with it meanwhile, or it was bought.
        if (!isRefusal(error, 'basket-not-found')) throw error;
      }
    }
    throw new Rejection('conflict', 'Another sign-in to this account is under way. Please try again.');
  };

  const settle: MembersApi['settle'] = async (basketId, meta) => {
    if (basketId === null) return null;
    // Of nearly every request, a guest's above all: it waits for no turn.
    const state =
      streams.peek(basketLinesStream, basketId) ?? (await streams.recall(basketLinesStream, basketId)).state;
    const basket = changeable(state);
    const signedIn = memberIdOf(meta.actor);
    // Guests: nothing is looked up.
    if (basket === null || (signedIn === null && state.memberId === null)) return null;
    // Its owner has signed in while this request was on its way.
    if (!opensTo(state, signedIn)) throw noBasket();
    const member = signedIn === null ? null : await stateStore.get<Member>(members, signedIn);
    if (!member) return null;
    await keep(member, basketId);
    return tell(deps, basketId, basket, member, meta);
  };

  const customerOf: MembersApi['customerOf'] = async (memberId) => {
    const member = await stateStore.get<Member>(members, memberId);
    return member && ownCustomer(deps, member);
  };

  return { take, settle, identifyBuyer: identifyBuyer(deps), customerOf };
};

export type MemberBaskets = ReturnType<typeof createMemberBaskets>;
