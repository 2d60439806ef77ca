import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView } from '#events/basket-view.ts';
import { members, type Member } from '#runtime/members.ts';
import { reachableBasket, warningsOf } from '../basket/basket.state.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import type { TakenBasket } from './member.commands.ts';

const nothing: TakenBasket = { basketId: null, basket: null, warnings: [], position: 0 };

/** Baskets of members (docs/rules/members.md#basket). */
export const createMemberBaskets = ({ streams, stateStore }: CommandDeps) => {
  /** Null for one that is bought, cleared, being bought, or somebody else's. */
  const usable = async (basketId: string | null, memberId: string): Promise<BasketView | null> => {
    if (basketId === null) return null;
    const { state } = await streams.load(basketLinesStream, basketId);
    const basket = state.status === 'placing' ? null : reachableBasket(state);
    const isOthers = basket !== null && basket.memberId !== null && basket.memberId !== memberId;
    return isOthers ? null : basket;
  };

  const identify = async (basketId: string, member: Member, meta: CommandMeta): Promise<TakenBasket> => {
    const { _id: memberId, customerId } = member;
    const command = { type: 'IdentifyBuyer', memberId, customerId, segmentIds: [] } as const;
    const { state, events, position } = await streams.send(
      basketLinesStream,
      basketId,
      command,
      stepMeta(meta),
    );
    return { basketId, basket: state.basket, warnings: warningsOf(events), position };
  };

  return {
    /** At a sign-in: the basket of the cookie becomes the member's, unless there is nothing in it. */
    take: async (
      memberId: string,
      cookieBasketId: string | null,
      meta: CommandMeta,
    ): Promise<TakenBasket> => {
      const member = await stateStore.get<Member>(members, memberId);
      if (!member) return nothing;
      const [brought, own] = await Promise.all([
        usable(cookieBasketId, memberId),
        usable(member.basketId, memberId),
      ]);
      const basketId = own && !brought?.lines.length ? member.basketId : brought && cookieBasketId;
      if (basketId === null) return nothing;
      await stateStore.updateIf(members, { _id: memberId }, { set: { basketId } });
      return identify(basketId, member, meta);
    },
  };
};

export type MemberBaskets = ReturnType<typeof createMemberBaskets>;
