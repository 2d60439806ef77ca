import { checkoutEvents, type CapturedAddress } from '#events/checkout.events.ts';
import { knownEmail, type BasketView } from '#events/basket-view.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { emptyAddress, type Address } from '#values/address.ts';
import type { BasketStreamEvent, EditableBasket } from '../../basket/basket.state.ts';
import { opening, type Today } from '../opened-checkout.ts';
import type { AddressParts, CaptureAddress, CaptureEmail } from '../checkout.commands.ts';

const { CheckoutAddressCaptured, CheckoutEmailCaptured } = checkoutEvents.create;

const knownOf = ({ captured, ...given }: BasketView): CapturedAddress => {
  const { billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing } = given;
  return captured?.address ?? { billingAddress, shippingAddress, shippingSameAsBilling, acceptsMarketing };
};

const merged = (known: Address | null, parts: AddressParts | null): Address | null =>
  Object.values(parts ?? {}).some((part) => known !== null || part !== null)
    ? { ...(known ?? emptyAddress), ...parts }
    : known;

/** Whether a checkout begins with it, which its timeouts count from. */
const sessionAt = ({ session }: BasketView, at: string) =>
  session === null ? { at, begins: true as const } : { at };

export const captureEmail = (
  state: EditableBasket,
  { email, customerId }: Pick<CaptureEmail, 'email' | 'customerId'>,
  context: Today,
): BasketStreamEvent[] => {
  const { basket } = state;
  if (email === knownEmail(basket)) return [];
  const customer = customerId === null ? {} : { customerId };
  const session = sessionAt(basket, context.now);
  return [CheckoutEmailCaptured({ email, ...customer, ...opening(state, basket, context), session })];
};

/** What is typed so far, over what was known before (docs/rules/checkout.md#capture). */
export const captureAddress = (
  state: EditableBasket,
  { email, customerId, billing, shipping, shippingSameAsBilling, acceptsMarketing }: CaptureAddress,
  context: Today,
): BasketStreamEvent[] => {
  const { basket } = state;
  const known = knownOf(basket);
  const address = {
    billingAddress: merged(known.billingAddress, billing),
    shippingAddress: merged(known.shippingAddress, shipping),
    shippingSameAsBilling: shippingSameAsBilling ?? known.shippingSameAsBilling,
    acceptsMarketing: acceptsMarketing ?? known.acceptsMarketing,
  };
  return [
    ...(email === null ? [] : captureEmail(state, { email, customerId }, context)),
    ...(isSameJson(address, known)
      ? []
      : [CheckoutAddressCaptured({ ...address, session: sessionAt(basket, context.now) })]),
  ];
};
