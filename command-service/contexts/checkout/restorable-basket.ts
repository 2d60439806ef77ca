import type { CommandDeps } from '#command/engine/service-deps.ts';
import { planShipping } from '#command/pricing/shipping-plan.ts';
import { asOfNow } from '#events/basket-session.ts';
import { holdsOf, reachableBasket } from '../basket/basket.state.ts';
import type { RestorableBasket } from './checkout.commands.ts';
import { goodsOf } from './checkout.context.ts';
import { checkoutStream } from './checkout.stream.ts';
import { withdrawnItems } from './withdrawn-items.ts';

/** A basket for a shopper who comes back to it, with what of it cannot be had any more. Records nothing. */
export const restorableBasket =
  (deps: CommandDeps) =>
  async (basketId: string): Promise<RestorableBasket | null> => {
    const { state } = await deps.streams.load(checkoutStream, basketId);
    const reached = reachableBasket(state);
    if (reached === null || reached.lines.length === 0) return null;
    const basket = asOfNow(reached, deps.settings(), deps.clock.now());
    const gone = withdrawnItems(basket.lines, goodsOf(deps.reference, basket.lines).withdrawn);
    const isGone = new Set(gone.map(({ lineItemId }) => lineItemId));
    const { unavailable } = planShipping(deps, basket, { holds: holdsOf(state) });
    return {
      basket,
      memberId: state.memberId,
      unavailable: [
        ...gone.map((item) => ({ ...item, reason: 'withdrawn' as const })),
        ...unavailable.filter(({ lineItemId }) => !isGone.has(lineItemId)),
      ],
    };
  };
