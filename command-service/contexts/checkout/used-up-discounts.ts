import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { Recorded } from '#kernel/event.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { BasketStreamEvent } from '../basket/basket.state.ts';
import { customerUsageId } from '../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../discounts/discount-usage.stream.ts';
import { checkoutStream } from './checkout.stream.ts';

interface OwnBasket {
  readonly basketId: string;
  readonly basket: BasketView;
}

interface Changed extends OwnBasket {
  readonly events: readonly Recorded<BasketStreamEvent>[];
  readonly position: number;
}

/** Whether the customer of a basket, as far as one is known, has used a discount as often as one may. */
export const isUsedUp = async (
  { streams }: Pick<CommandDeps, 'streams'>,
  { basketId, basket }: OwnBasket,
  { id, rule: { perCustomerUsageLimit } }: ReferenceDiscount,
): Promise<boolean> => {
  const customerId = basket.emailCustomerId ?? basket.customerId;
  if (perCustomerUsageLimit === null || customerId === null) return false;
  const counter = customerUsageId(id, customerId);
  const { uses, open } = (await streams.recall(discountUsageStream, counter)).state;
  return uses - (open[basketId] ? 1 : 0) >= perCustomerUsageLimit;
};

/** Of the discounts on a basket those that its customer has used up. */
const usedUpOn = async (
  deps: Pick<CommandDeps, 'streams' | 'reference'>,
  own: OwnBasket,
): Promise<readonly string[]> => {
  const ids = new Set(own.basket.discounts.map(({ discountId }) => discountId));
  for (const { discountId } of own.basket.codes) ids.add(discountId);
  const usedUp: string[] = [];
  for (const id of ids) {
    const discount = deps.reference.discounts.byId(id);
    if (discount && (await isUsedUp(deps, own, discount))) usedUp.push(id);
  }
  return usedUp;
};

/** One that falls may let in another that is used up. */
const MOST_ROUNDS = 5;

/**
 * Takes off a basket what its customer has used as often as the rules allow, as soon as the customer is known
 * (docs/rules/discounts.md#uses): a price that is shown is not refused when it is paid. The limit itself is kept where
 * uses are claimed.
 */
export const withoutUsedUp = async <Own extends Changed>(
  deps: Pick<CommandDeps, 'streams' | 'reference'>,
  changed: Own,
  meta: CommandMeta,
): Promise<Own> => {
  let known = changed;
  if ((known.basket.emailCustomerId ?? known.basket.customerId) === null) return known;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const discountIds = await usedUpOn(deps, known);
    if (discountIds.length === 0) break;
    const command = { type: 'DropUsedUpDiscounts', discountIds } as const;
    const how = { referenceMatters: 'to a refusal' } as const;
    const sent = await deps.streams.send(checkoutStream, known.basketId, command, stepMeta(meta), how);
    const { state, events, position } = sent;
    known = {
      ...known,
      basket: state.basket ?? known.basket,
      events: [...known.events, ...events],
      position,
    };
    if (events.length === 0) break;
  }
  return known;
};
