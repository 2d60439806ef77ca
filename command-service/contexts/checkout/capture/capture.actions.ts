import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { knownEmail } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isEmail } from '#values/email-address.ts';
import { countryName, isCountry } from '#values/region.ts';
import type { GivenAddresses } from '../check-address.ts';
import { change, type CheckoutDeps, findBasket, type FoundBasket } from '../found-basket.ts';
import type { AddressParts, CaptureAddress, GivenAddress } from '../checkout.commands.ts';

const MAX_LENGTH = 250;

const clean = (text: string | null | undefined): string => (text?.trim() ?? '').slice(0, MAX_LENGTH);

const plainFields = ['company', 'addressOne', 'townCity', 'countyState', 'postalCode', 'phone'] as const;
const codeFields = ['countryCode', 'regionCode'] as const;

/** What of an address has been typed; nothing of it is checked. What is empty says nothing, but for the second line. */
const partsOf = (given: GivenAddress | null | undefined): AddressParts | null => {
  if (!given) return null;
  const parts: Record<string, string | null> = {};
  const name = clean(given.name) || clean([clean(given.firstName), clean(given.lastName)].join(' '));
  if (name !== '') parts['name'] = name;
  for (const field of plainFields) if (clean(given[field]) !== '') parts[field] = clean(given[field]);
  for (const field of codeFields)
    if (clean(given[field]) !== '') parts[field] = clean(given[field]).toUpperCase();
  const { countryCode } = parts;
  if (countryCode) parts['country'] = isCountry(countryCode) ? countryName(countryCode) : '';
  if (typeof given.addressTwo === 'string') parts['addressTwo'] = clean(given.addressTwo) || null;
  return parts;
};

/** What a shopper has typed of their addresses so far. An invalid e-mail address is ignored. */
const capturedInput = (given: GivenAddresses): Omit<CaptureAddress, 'type' | 'customerId'> => {
  const email = clean(given.email);
  return {
    email: isEmail(email) ? email : null,
    billing: partsOf(given.billingAddress),
    shipping: partsOf(given.shippingAddress),
    shippingSameAsBilling: given.shippingSameAsBilling ?? null,
    acceptsMarketing: given.acceptsMarketing ?? null,
  };
};

/** Before the e-mail address is in the log: it must not stand under a key that forgetting its customer leaves alone. */
const customerOf = async (
  { apis }: CheckoutDeps,
  { basket }: FoundBasket,
  email: string | null,
  meta: CommandMeta,
): Promise<string | null> =>
  email === null || email === knownEmail(basket) ? null : apis.customers.idFor(email, stepMeta(meta));

/** What shoppers have typed before they send it. Errors: Rejection `basket-not-found`, `order-being-placed`. */
export const captureActions = (deps: CheckoutDeps) => ({
  /** Errors: `invalid-address` too. */
  captureEmail: async (basketId: string | null, given: string | null | undefined, meta: CommandMeta) => {
    const email = given?.trim() ?? '';
    if (!isEmail(email)) {
      const message = 'email: must be an e-mail address.';
      throw new Rejection('invalid-address', message, {
        errors: { email: 'This is not an e-mail address.' },
      });
    }
    const found = await findBasket(deps, basketId);
    const customerId = await customerOf(deps, found, email, meta);
    return change(deps, found, { type: 'CaptureEmail', email, customerId }, meta);
  },

  captureAddress: async (basketId: string | null, given: GivenAddresses, meta: CommandMeta) => {
    const found = await findBasket(deps, basketId);
    const input = capturedInput(given);
    const customerId = await customerOf(deps, found, input.email, meta);
    return change(deps, found, { type: 'CaptureAddress', ...input, customerId }, meta);
  },
});
