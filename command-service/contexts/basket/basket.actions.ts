import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { AddonChoice } from '#command/pricing/addons.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { currentLocation, type ChosenPlace } from '#reference/location.ts';
import type { BasketCommand, PromisedReferral } from './basket.commands.ts';
import type { BasketState, BasketStreamEvent } from './basket.state.ts';
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

/** A new basket of somebody who is signed in is priced for them before it is shown. */
const pricedForMember = async (
  begun: ChangedBasket,
  { members }: CommandDeps['neighbours'],
  meta: CommandMeta,
): Promise<ChangedBasket> => {
  const settled = await members.settle(begun.basketId, meta);
  return settled ? { ...begun, ...settled, events: [...begun.events, ...settled.events] } : begun;
};

/** What can be done with a basket's lines. A `basketId` of null is a shopper without a basket. */
export const createBasketActions = ({
  streams,
  reference,
  settings,
  neighbours,
}: Pick<CommandDeps, 'streams' | 'reference' | 'settings' | 'neighbours'>) => {
  /** Null when there is no such basket. */
  const change = async (
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

  return {
    /**
     * Puts units of a product into the basket; into a new one, for the place that the shopper has chosen, where there
     * is none. Nobody chooses the id of a basket.
     */
    add: async (
      known: string | null,
      { productId, quantity, addons, referral = null }: Goods,
      place: ChosenPlace,
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
      const added = await change(known, command, meta);
      if (added !== null) return added;
      const location = currentLocation(place, settings(), reference.shipping);
      const { countryCode, regionCode, postalCode } = location;
      const basketId = meta.commandId === undefined ? newId() : derivedId('basket', meta.commandId);
      const first = { ...command, startFor: { countryCode, regionCode, postalCode } };
      const begun = await streams.send(basketLinesStream, basketId, first, meta, { isNewId: true });
      return meta.actor.kind === 'member'
        ? pricedForMember({ ...begun, basketId }, neighbours, meta)
        : { ...begun, basketId };
    },

    changeQuantity: async (
      basketId: string | null,
      lineId: string,
      quantity: number,
      meta: CommandMeta,
    ): Promise<ChangedBasket> => {
      const changed = await change(basketId, { type: 'ChangeBasketLineQuantity', lineId, quantity }, meta);
      if (changed === null) throw new Rejection('basket-not-found', 'There is no basket.');
      return changed;
    },

    /** Null when there is no basket. */
    removeLine: (basketId: string | null, lineId: string, meta: CommandMeta) =>
      change(basketId, { type: 'RemoveBasketLine', lineId }, meta),

    /** Null when there is no basket. */
    clear: (basketId: string | null, meta: CommandMeta) => change(basketId, { type: 'ClearBasket' }, meta),
  };
};

export type BasketActions = ReturnType<typeof createBasketActions>;
