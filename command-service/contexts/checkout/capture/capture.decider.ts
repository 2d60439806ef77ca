import { checkoutEvents, type CapturedAddress } from '#events/checkout.events.ts';
import type { BasketView } from '#events/basket-view.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { emptyAddress, type Address } from '#values/address.ts';
import type { BasketStreamEvent } from '../../basket/basket.state.ts';
import type { AddressParts, CaptureAddress, CaptureEmail } from '../checkout.commands.ts';

const { CheckoutAddressCaptured, CheckoutEmailCaptured } = checkoutEvents.create;

const knownOf = ({ captured, ...given }: BasketView): CapturedAddress => {
  const { billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing } = given;
  return captured?.address ?? { billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing };
};

export const knownEmail = ({ captured, email }: BasketView): string | null => captured?.email ?? email;

const merged = (known: Address | null, parts: AddressParts | null): Address | null =>
  Object.values(parts ?? {}).some((part) => known !== null || part !== null)
    ? { ...(known ?? emptyAddress), ...parts }
    : known;

/** Whether a checkout begins with it, which its timeouts count from. */
const sessionAt = ({ session }: BasketView, at: string) =>
  session === null ? { at, begins: true as const } : { at };

export const captureEmail = (
  basket: BasketView,
  { email, customerId }: Pick<CaptureEmail, 'email' | 'customerId'>,
  now: string,
): BasketStreamEvent[] => {
  if (email === knownEmail(basket)) return [];
  const customer = customerId === null ? {} : { customerId };
  return [CheckoutEmailCaptured({ email, ...customer, session: sessionAt(basket, now) })];
};

/** What is typed so far, over what was known before (docs/rules/checkout.md#capture). */
export const captureAddress = (
  basket: BasketView,
  { email, customerId, billing, shipping, shippingSameAsBilling, acceptsMarketing }: CaptureAddress,
  now: string,
): BasketStreamEvent[] => {
  const known = knownOf(basket);
  const address = {
    billingAddress: merged(known.billingAddress, billing),
    shippingAddress: merged(known.shippingAddress, shipping),
    shippingSameAsBilling: shippingSameAsBilling ?? known.shippingSameAsBilling,
    acceptsMarketing: acceptsMarketing ?? known.acceptsMarketing,
  };
  return [
    ...(email === null ? [] : captureEmail(basket, { email, customerId }, now)),
    ...(isSameJson(address, known)
      ? []
      : [CheckoutAddressCaptured({ ...address, session: sessionAt(basket, now) })]),
  ];
};
