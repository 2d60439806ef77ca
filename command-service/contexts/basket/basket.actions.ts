import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { AddonChoice } from '#command/pricing/addons.ts';
import type { Admission, AddressLimit } from '#kernel/admission.ts';
import { memberIdOf } from '#kernel/event.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { NO_STREAM } from '#ports/event-store.ts';
import { currentLocation, type ChosenPlace } from '#reference/location.ts';
import type { AddBasketLine, BasketCommand, PromisedReferral } from './basket.commands.ts';
import { isBought, nextBasketId, opensTo, type BasketState, type BasketStreamEvent } from './basket.state.ts';
import { basketLinesStream } from './basket.stream.ts';

/** A basket after a change. */
export interface ChangedBasket extends Executed<BasketState, BasketStreamEvent> {
  readonly basketId: string;
}

/** What is put into a basket. */
export interface Goods {
  readonly productId: string;
  readonly quantity: number;
  readonly addons: readonly AddonChoice[];
  /** What the shopper has been promised by a link, if anything. */
  readonly referral?: PromisedReferral | null;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Rejection && error.code === 'basket-not-found';

/** Null when there is no such basket. */
const change = async (
  streams: CommandDeps['streams'],
  basketId: string | null,
  command: BasketCommand,
  meta: CommandMeta,
): Promise<ChangedBasket | null> => {
  if (basketId === null) return null;
  try {
    return { ...(await streams.send(basketLinesStream, basketId, command, meta)), basketId };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** After this many purchases, a cookie that was never renewed leads to a new basket. */
const NEXT_BASKETS = 10;

/**
 * The basket in which a shopper with this cookie continues: the one that follows a bought basket, whether or not it
 * exists yet (docs/rules/basket.md#next-basket); null for a new one, also where another shopper already continues
 * there.
 */
const goesOnIn = async (
  { streams, keyedHash }: Pick<CommandDeps, 'streams' | 'keyedHash'>,
  known: string | null,
  memberId: string | null,
): Promise<string | null> => {
  let basketId = known;
  for (let bought = 0; basketId !== null && bought < NEXT_BASKETS; bought++) {
    const { state, revision } = await streams.recall(basketLinesStream, basketId);
    if (!opensTo(state, memberId)) return null;
    if (!isBought(state)) return revision === NO_STREAM || basketId !== known ? basketId : null;
    basketId = nextBasketId(basketId, keyedHash);
  }
  return null;
};

/** Puts the first line into a basket, most likely. */
const begin = async (
  deps: Pick<CommandDeps, 'streams' | 'keyedHash'>,
  known: string | null,
  first: AddBasketLine,
  admission: Admission,
  meta: CommandMeta,
): Promise<ChangedBasket> => {
  const begun = await change(deps.streams, await goesOnIn(deps, known, memberIdOf(meta.actor)), first, meta);
  if (begun !== null) return begun;
  const basketId = meta.commandId === undefined ? newId() : derivedId('basket', meta.commandId);
  const how = { isNewId: true };
  const tooMany = admission.take();
  if (tooMany) throw tooMany;
  try {
    return { ...(await deps.streams.send(basketLinesStream, basketId, first, meta, how)), basketId };
  } catch (error) {
    admission.giveBack();
    throw error;
  }
};

/** A signed-in member's new basket is priced for that member before it is shown. */
const pricedForMember = async (
  begun: ChangedBasket,
  { members }: CommandDeps['apis'],
  meta: CommandMeta,
): Promise<ChangedBasket> => {
  const settled = await members.settle(begun.basketId, meta);
  return settled ? { ...begun, ...settled, events: [...begun.events, ...settled.events] } : begun;
};

/** What rules add to a basket on top of the shopper's own lines. If that fails, the shopper's add still stands. */
const withUpsells = async (
  added: ChangedBasket,
  { streams, apis }: Pick<CommandDeps, 'streams' | 'apis'>,
  meta: CommandMeta,
): Promise<ChangedBasket> => {
  let changed = added;
  const { basket } = added.state;
  for (const wanted of basket === null ? [] : apis.upsells.addedTo(basket)) {
    const command = { type: 'AddUpsell', ...wanted } as const;
    const sent = streams.send(basketLinesStream, added.basketId, command, stepMeta(meta));
    const next = await sent.catch(() => null);
    if (next) changed = { ...changed, ...next, events: [...changed.events, ...next.events] };
  }
  return changed;
};

/** Goods may bring discounts that the customer has used up. Should taking them off fail, the change stays done. */
const withoutUsedUp = (
  changed: ChangedBasket,
  { checkout }: CommandDeps['apis'],
  meta: CommandMeta,
): Promise<ChangedBasket> => checkout.withoutUsedUp(changed.basketId, changed, meta).catch(() => changed);

export interface BasketActionDeps extends Pick<
  CommandDeps,
  'streams' | 'reference' | 'settings' | 'apis' | 'keyedHash'
> {
  readonly newBaskets: AddressLimit;
}

/** What can be done with a basket's lines. A `basketId` of null is a shopper without a basket. */
export const createBasketActions = ({
  streams,
  reference,
  settings,
  apis,
  keyedHash,
  newBaskets,
}: BasketActionDeps) => ({
  /**
   * Adds units of a product to the basket: to a new one, for the place the shopper has chosen, where there is none,
   * and to the next one where it is bought. Callers never choose a basket's id. `ip`: the caller, for rate limits.
   */
  add: async (
    known: string | null,
    { productId, quantity, addons, referral = null }: Goods,
    place: ChosenPlace,
    ip: string,
    meta: CommandMeta,
  ): Promise<ChangedBasket> => {
    const command = {
      type: 'AddBasketLine',
      productId,
      quantity,
      addons,
      referral,
      startFor: null,
    } as const;
    const added = await change(streams, known, command, meta);
    if (added !== null) return withoutUsedUp(await withUpsells(added, { streams, apis }, meta), apis, meta);
    const location = currentLocation(place, settings(), reference.shipping);
    const { countryCode, regionCode, postalCode } = location;
    const startFor = { countryCode, regionCode, postalCode };
    const memberId = memberIdOf(meta.actor);
    const customerId = memberId && (await apis.members.customerOf(memberId));
    const first = { ...command, startFor, customerId };
    const begun = await begin({ streams, keyedHash }, known, first, newBaskets(ip), meta);
    const priced = memberId === null ? begun : await pricedForMember(begun, apis, meta);
    return withoutUsedUp(await withUpsells(priced, { streams, apis }, meta), apis, meta);
  },

  changeQuantity: async (
    basketId: string | null,
    lineId: string,
    quantity: number,
    meta: CommandMeta,
  ): Promise<ChangedBasket> => {
    const changed = await change(
      streams,
      basketId,
      { type: 'ChangeBasketLineQuantity', lineId, quantity },
      meta,
    );
    if (changed === null) throw new Rejection('basket-not-found', 'There is no basket.');
    return withoutUsedUp(changed, apis, meta);
  },

  /** Null when there is no basket. */
  removeLine: async (basketId: string | null, lineId: string, meta: CommandMeta) => {
    const changed = await change(streams, basketId, { type: 'RemoveBasketLine', lineId }, meta);
    return changed && withoutUsedUp(changed, apis, meta);
  },

  /** Null when there is no basket. */
  clear: (basketId: string | null, meta: CommandMeta) =>
    change(streams, basketId, { type: 'ClearBasket' }, meta),
});

export type BasketActions = ReturnType<typeof createBasketActions>;
