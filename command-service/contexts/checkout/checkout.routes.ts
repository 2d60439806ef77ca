import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf, stepMeta } from '#command/engine/request-meta.ts';
import { unknownCode } from '#command/pricing/apply-discounts.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import { addressesBody, applyDiscountBody, type AddressesBody } from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { ok, route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isShippingCountry } from '#reference/location.ts';
import { splitName } from '#values/address.ts';
import { displayAmount } from '#values/exchange.ts';
import { toDecimal } from '#values/money.ts';
import { orderBeingPlaced, warningsOf } from '../basket/basket.state.ts';
import { checkAddresses } from './check-address.ts';
import type { CodeAttempts } from './code-attempts.ts';
import { checkoutShippingRoutes, type CheckoutShippingDeps } from './checkout-shipping.routes.ts';
import { checkoutBasket, placeCookies } from './checkout.response.ts';
import { findBasket } from './find-basket.ts';

const file = 'command-service/contexts/checkout/checkout.routes.ts';
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface CheckoutDeps extends CheckoutShippingDeps {
  /** Finds the customer with an e-mail address, or makes one known; answers the id. */
  readonly ensureCustomer: (
    customer: {
      readonly email: string;
      readonly firstName: string;
      readonly lastName: string;
      readonly acceptsMarketing: boolean;
    },
    meta: CommandMeta,
  ) => Promise<string>;
  readonly codeAttempts: CodeAttempts;
}

const addresses = (deps: CheckoutDeps) => async (request: RouteRequest<unknown, unknown, AddressesBody>) => {
  const { basketId, basket: found } = await findBasket(deps.checkout, request);
  // Before a customer is made known, whom a refusal would leave behind.
  if (found.status === 'placing') throw orderBeingPlaced();
  const settings = deps.settings();
  const checked = checkAddresses(request.body, {
    billingPhoneRequired: settings.billingPhoneRequired,
    shipsTo: (countryCode) => isShippingCountry(deps.reference.shipping, countryCode),
  });
  if (checked.kind === 'invalid') {
    throw new Rejection('invalid-address', 'Some fields need your attention.', { errors: checked.errors });
  }
  const { kind: _, ...given } = checked;
  const meta = metaOf(request);
  const { email, acceptsMarketing } = given;
  const person = { email, acceptsMarketing, ...splitName(given.billingAddress.name) };
  const customerId = await deps.ensureCustomer(person, stepMeta(meta));
  const done = await deps.checkout.send(basketId, { type: 'ChangeAddresses', customerId, ...given }, meta);
  const warnings = warningsOf(done.events);
  const basket = checkoutBasket(basketId, done.state.basket, presentationOf(settings), {
    warnings,
    errors: [],
  });
  return ok(
    { success: true, message: '', basket, warnings },
    { cookies: placeCookies(given.shippingAddress), position: done.position },
  );
};

const applyDiscount =
  (deps: CheckoutDeps) =>
  async (request: RouteRequest<unknown, unknown, { code?: string | null | undefined }>) => {
    const { basketId, basket } = await findBasket(deps.checkout, request);
    const code = request.body.code?.trim().toUpperCase() ?? '';
    if (code === '') throw new Rejection('invalid-request', 'code: a discount code was expected.');
    const discount = deps.reference.discounts.byCode(code);
    await deps.codeAttempts.take(basketId, request, discount !== undefined);
    if (!discount) {
      const { errorCode, message } = unknownCode(code);
      throw new Rejection('discount-not-applicable', message, { errorCode });
    }
    const { id: discountId, rule } = discount;
    const done = await deps.checkout.send(
      basketId,
      { type: 'ApplyDiscountCode', discountId, code, name: rule.name },
      metaOf(request),
    );
    const presentation = presentationOf(deps.settings());
    const after = done.state.basket ?? basket;
    const offOf = ({ totals }: BasketView): number =>
      displayAmount(
        totals.productDiscount + totals.shippingDiscount,
        presentation.storeCurrency,
        presentation.display,
      );
    const warnings = warningsOf(done.events);
    return ok(
      {
        success: true,
        message: `${code} has been applied.`,
        basket: checkoutBasket(basketId, after, presentation, { warnings, errors: [] }),
        discountDelta: toDecimal(Math.abs(offOf(after) - offOf(basket)), presentation.display.currency),
        warnings,
      },
      { position: done.position },
    );
  };

/** Checkout up to the choice of payment (specification 4.2). */
export const checkoutRoutes = (deps: CheckoutDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/addresses',
    summary: 'Save e-mail address, billing and shipping address',
    schemas: { body: addressesBody },
    errors: ['basket-not-found', 'invalid-address', 'amount-too-large', 'order-being-placed'],
    handle: addresses(deps),
  }),
  ...checkoutShippingRoutes(deps),
  route({
    ...common,
    method: 'POST',
    path: '/discount/apply',
    summary: 'Apply a discount code',
    schemas: { body: applyDiscountBody },
    errors: [
      'invalid-request',
      'basket-not-found',
      'discount-not-applicable',
      'amount-too-large',
      'order-being-placed',
      'too-many-requests',
    ],
    handle: applyDiscount(deps),
  }),
];
