import { get, manage, pay, payInvoice, post } from './requests.ts';
import type { Request } from './browser.ts';
import { Customer } from './member-shop.ts';
import type { ShopAt } from './shop.ts';

const methods = '/api/shop/storefront/payment-methods';
const offers = '/api/shop/checkout/post-purchase';

export const showOffer = (invoiceId: string): Request => get(`${offers}/${invoiceId}`);
export const previewAddition = (invoiceId: string, body: unknown): Request =>
  post(`${offers}/${invoiceId}/preview`, body);
export const addAfterwards = (invoiceId: string, body: unknown): Request =>
  post(`${offers}/${invoiceId}/add`, body);
export const skipOffer = (invoiceId: string): Request => ({
  method: 'POST',
  path: `${offers}/${invoiceId}/skip`,
});

/** A rule that offers a product after a purchase of another. */
export const offeringRule = (bought: string, offered: string, changes: object = {}): Request =>
  manage.post('/upsells', {
    name: 'One more',
    heading: 'One more?',
    status: 'Active',
    checkoutMode: 'PostPurchase',
    displayLocation: 'Confirmation',
    triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [bought] }],
    recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [offered] }],
    ...changes,
  });

/** Somebody with an account and a saved card who has paid an order. */
export interface Buyer {
  readonly customer: Customer;
  readonly email: string;
  readonly methodId: string;
  readonly invoiceId: string;
  /** The page to which the paying answer sends. */
  readonly sentTo: string;
}

let people = 0;

const saveCard = async (customer: Customer, paymentMethodToken: string): Promise<string> => {
  const pages = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
  const { setupSessionId } = (await customer.ask(post(`${methods}/setup`, pages))).body;
  const given = { providerAlias: 'sandbox', setupSessionId, paymentMethodToken };
  return (await customer.ask(post(`${methods}/confirm`, given))).body.id as string;
};

/** A member with a card who buys a product, and maybe more, and pays with another card or the same. */
export const buyerAt = async (
  shop: ShopAt,
  productId: string,
  { savedToken = 'tok_success', customer = new Customer(shop.base), more = [] as readonly string[] } = {},
): Promise<Buyer> => {
  const email = `buyer${++people}@example.com`;
  for (const other of more) await customer.add(other);
  await customer.register(email, productId);
  const methodId = await saveCard(customer, savedToken);
  await customer.initialize();
  const invoiceId = (await customer.ask(pay())).body.invoiceId as string;
  const { status, text, body } = await customer.ask(payInvoice(invoiceId, {}));
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return { customer, email, methodId, invoiceId, sentTo: body.redirectUrl as string };
};
