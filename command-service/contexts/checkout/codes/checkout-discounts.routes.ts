import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { applyDiscountBody, discountResponse, discountParams } from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { currencyCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { presentationFor } from '#reference/presentation.ts';
import { displayAmount } from '#values/exchange.ts';
import { toDecimal } from '#values/money.ts';
import type { CheckoutActions } from '../checkout.actions.ts';
import { changedBasket } from '../checkout.response.ts';
import type { CodeAttempts } from './code-attempts.ts';
import type { ChangedCheckout } from '../found-basket.ts';

export interface CheckoutDiscountDeps extends Pick<CommandDeps, 'settings' | 'reference'> {
  readonly actions: Pick<CheckoutActions, 'applyDiscountCode' | 'takeOffDiscount'>;
  readonly codeAttempts: CodeAttempts;
}

const common = {
  base: 'checkout',
  service: 'command',
  caller: visitor,
  response: discountResponse,
  file: import.meta.url,
} as const;

/** The basket after a discount has come or gone, and by how much what is taken off differs, as it is shown. */
const discountReply = (
  deps: CheckoutDiscountDeps,
  request: Pick<RouteRequest, 'cookies'>,
  changed: ChangedCheckout,
  message: string,
): Reply => {
  const presentation = presentationFor(deps, request.cookies[currencyCookie]);
  const { storeCurrency, display } = presentation;
  const offOf = ({ totals }: BasketView): number =>
    displayAmount(totals.productDiscount + totals.shippingDiscount, storeCurrency, display);
  const delta = Math.abs(offOf(changed.basket) - offOf(changed.before));
  const { basket, warnings } = changedBasket(changed, presentation);
  const discountDelta = toDecimal(delta, display.currency);
  const answer = { success: true, message, basket, discountDelta, warnings };
  return showing(ok(answer, { position: changed.position }), request, presentation);
};

/** Codes, and what the shopper does not want (docs/rules/discounts-in-the-basket.md). */
export const checkoutDiscountRoutes = (deps: CheckoutDiscountDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/discount/apply',
    summary: 'Apply a discount code',
    schemas: { body: applyDiscountBody },
    errors: [
      'basket-not-found',
      'discount-not-applicable',
      'amount-too-large',
      'order-being-placed',
      'too-many-requests',
    ],
    handle: async (request) => {
      const changed = await deps.actions.applyDiscountCode(
        request.basketId,
        request.body.code,
        (basketId, isKnownCode) => deps.codeAttempts.take(basketId, request, isKnownCode),
        metaOf(request),
      );
      return discountReply(deps, request, changed, `${changed.code} has been applied.`);
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/discount/{discountId}',
    summary: 'Take a discount off the basket, by its rule or one of its lines',
    schemas: { params: discountParams },
    errors: ['basket-not-found', 'discount-not-applicable', 'order-being-placed'],
    handle: async (request) => {
      const { discountId } = request.params;
      const changed = await deps.actions.takeOffDiscount(request.basketId, discountId, metaOf(request));
      return discountReply(deps, request, changed, `${changed.name} has been taken off.`);
    },
  }),
];
