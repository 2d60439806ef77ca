import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { BasketView } from '#events/basket-view.ts';

type Discounted = Pick<BasketView, 'discounts'>;

/** Automatic discounts that a change has taken off, as it no longer meets what they ask for. */
export const lostDiscounts = (
  before: Discounted | null,
  after: Discounted | null,
): readonly ProtocolMessage[] => {
  const kept = new Set(after?.discounts.map(({ discountId }) => discountId));
  const lost = before?.discounts.filter(({ code, discountId }) => code === null && !kept.has(discountId));
  const names = new Set(lost?.map(({ name }) => name));
  return Array.from(names, (name) => ({
    type: 'warning',
    code: 'discount_code_user_ineligible',
    content: `${name} does not apply any more.`,
    path: '$.discounts',
  }));
};
