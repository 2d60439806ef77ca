import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { BasketView } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { BasketState, BasketStreamEvent } from '../../basket/basket.state.ts';
import { customerUsageId } from '../../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../../discounts/discount-usage.stream.ts';
import { checkoutStream } from '../checkout.stream.ts';

type Deps = Pick<CommandDeps, 'streams' | 'reference'>;

interface OwnBasket {
  readonly basketId: string;
  readonly basket: BasketView;
}

const customerOf = ({ emailCustomerId, customerId }: BasketView): string | null =>
  emailCustomerId ?? customerId;

/** Whether the customer of a basket, as far as one is known, has used a discount as often as one may. */
export const isUsedUp = async (
  { streams }: Pick<Deps, 'streams'>,
  { basketId, basket }: OwnBasket,
  { id, rule: { perCustomerUsageLimit } }: ReferenceDiscount,
): Promise<boolean> => {
  const customerId = customerOf(basket);
  if (perCustomerUsageLimit === null || customerId === null) return false;
  const counter = customerUsageId(id, customerId);
  const { uses, open } = (await streams.recall(discountUsageStream, counter)).state;
  return uses - (open[basketId] ? 1 : 0) >= perCustomerUsageLimit;
};

/** Of the discounts on a basket those that its customer has used up. */
const usedUpOn = async (deps: Deps, own: OwnBasket): Promise<readonly string[]> => {
  const ids = new Set(own.basket.discounts.map(({ discountId }) => discountId));
  for (const { discountId } of own.basket.codes) ids.add(discountId);
  const usedUp: string[] = [];
  for (const id of ids) {
    const discount = deps.reference.discounts.byId(id);
    if (discount && (await isUsedUp(deps, own, discount))) usedUp.push(id);
  }
  return usedUp;
};

/** Null for a basket that is being paid just now, or is bought: the claim of the use decides there. */
const drop = async (
  { streams }: Pick<Deps, 'streams'>,
  basketId: string,
  discountIds: readonly string[],
  meta: CommandMeta,
) => {
  const command = { type: 'DropUsedUpDiscounts', discountIds } as const;
  const how = { referenceMatters: 'to a refusal' } as const;
  try {
    return await streams.send(checkoutStream, basketId, command, stepMeta(meta), how);
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
};

/** One that falls may let in another that is used up. */
const MOST_ROUNDS = 5;

/**
 * Takes off a basket that has changed what its customer has used as often as the rules allow, as soon as the customer
 * is known (docs/rules/discounts.md#uses): a price that is shown is not refused when it is paid. The limit itself is
 * kept where uses are claimed. Of a customer who is not known nothing is looked up.
 */
export const withoutUsedUp = async <Done extends Executed<BasketState, BasketStreamEvent>>(
  deps: Deps,
  basketId: string,
  done: Done,
  meta: CommandMeta,
): Promise<Done> => {
  let changed = done;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { basket } = changed.state;
    if (basket === null || customerOf(basket) === null) break;
    const discountIds = await usedUpOn(deps, { basketId, basket });
    const dropped = discountIds.length === 0 ? null : await drop(deps, basketId, discountIds, meta);
    if (dropped === null || dropped.events.length === 0) break;
    const { state, revision, position } = dropped;
    changed = { ...changed, state, revision, position, events: [...changed.events, ...dropped.events] };
  }
  return changed;
};
