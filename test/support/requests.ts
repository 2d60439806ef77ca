import { typedAddress, typedAddresses } from './builders/address.ts';
import type { ApiResponse, Request } from './browser.ts';

/** A request, or one that depends on the answer to the step before: `changeFirstLine(3)`. */
export type Step = Request | ((last: ApiResponse) => Request);

const storefront = '/api/shop/storefront';
const checkout = '/api/shop/checkout';
const management = '/backoffice/api/v1';

export const get = (path: string): Request => ({ method: 'GET', path });
export const post = (path: string, body: unknown = {}): Request => ({ method: 'POST', path, body });

const put = (path: string, body: unknown): Request => ({ method: 'PUT', path, body });
const remove = (path: string): Request => ({ method: 'DELETE', path });

/** Below the management API. */
export const manage = {
  get: (path: string) => get(management + path),
  post: (path: string, body: unknown = {}) => post(management + path, body),
  put: (path: string, body: unknown) => put(management + path, body),
  delete: (path: string) => remove(management + path),
};

/** The same request with these headers. */
export const withHeaders = (headers: Readonly<Record<string, string>>, request: Request): Request => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
/** The same request under an idempotency key. */
export const keyed = (key: string, request: Request): Request =>
  withHeaders({ 'Idempotency-Key': key }, request);

// What shoppers ask for. Whatever a test leaves out is valid.

export const add = (productId: string, quantity?: unknown): Request =>
  post(`${storefront}/basket/add`, { productId, ...(quantity === undefined ? {} : { quantity }) });
export const showBasket = (): Request => get(`${storefront}/basket`);
export const changeLine = (body: object): Request => post(`${storefront}/basket/update`, body);
export const takeOut = (lineItemId: string): Request => remove(`${storefront}/basket/${lineItemId}`);
export const clearBasket = (): Request => ({ method: 'POST', path: `${storefront}/basket/clear` });

export const showCurrency = (): Request => get(`${storefront}/currency`);
export const chooseCurrency = (body: unknown): Request => post(`${storefront}/currency`, body);
export const showCountry = (): Request => get(`${storefront}/shipping/country`);
export const chooseCountry = (body: unknown): Request => post(`${storefront}/shipping/country`, body);

export const giveAddresses = (changes: Parameters<typeof typedAddresses>[0] = {}): Request =>
  post(`${checkout}/addresses`, typedAddresses(changes));
export const billTo = (changes: Parameters<typeof typedAddress>[0]): Request =>
  giveAddresses({ billingAddress: typedAddress(changes) });
export const initialize = (changes: object = {}): Request =>
  post(`${checkout}/initialize`, { countryCode: 'GB', ...changes });
export const showShipping = (): Request => get(`${checkout}/shipping-groups`);
export const estimateShipping = (query = ''): Request =>
  get(`${storefront}/basket/estimated-shipping${query}`);
export const selectShipping = (body: object): Request => post(`${checkout}/shipping`, body);
export const applyCode = (code: string): Request => post(`${checkout}/discount/apply`, { code });
export const takeOffDiscount = (id: string): Request => remove(`${checkout}/discount/${id}`);
export const pay = (changes: object = {}): Request =>
  post(`${checkout}/pay`, {
    providerAlias: 'sandbox',
    methodAlias: 'card',
    returnUrl: '/return',
    cancelUrl: '/cancel',
    ...changes,
  });
export const payInvoice = (invoiceId: string, changes: object = {}): Request =>
  post(`${checkout}/process-payment`, {
    invoiceId,
    providerAlias: 'sandbox',
    methodAlias: 'card',
    paymentMethodToken: 'tok_success',
    ...changes,
  });

/** Pays by hand, not by card. */
export const payByHand = (changes: object = {}): Request =>
  post(`${checkout}/process-direct-payment`, { providerAlias: 'manual', ...changes });
/** Pays the invoice that the step before made. */
export const payThat =
  (changes: object = {}) =>
  (last: ApiResponse): Request =>
    payInvoice(last.body.invoiceId, changes);
export const payThatByHand =
  (changes: object = {}) =>
  (last: ApiResponse): Request =>
    payByHand({ invoiceId: last.body.invoiceId, ...changes });

/** The first line of the basket that the step before answered with. */
const firstLineOf = ({ body }: ApiResponse): string => body.lineItems[0].id;
export const changeFirstLine =
  (quantity: number) =>
  (last: ApiResponse): Request =>
    changeLine({ lineItemId: firstLineOf(last), quantity });
export const takeOutFirstLine = (last: ApiResponse): Request => takeOut(firstLineOf(last));

/** A basket of this product that can be paid. */
export const readyToPay = (productId: string, quantity = 1): readonly Step[] => [
  add(productId, quantity),
  giveAddresses(),
  initialize(),
];

/** An invoice for this product, not paid yet. */
export const ordered = (productId: string, quantity = 1): readonly Step[] => [
  ...readyToPay(productId, quantity),
  pay(),
];

/** Starts a payment in which the payer goes on elsewhere. */
export const payElsewhere = (methodAlias: string, changes: object = {}): Request =>
  pay({ methodAlias, ...changes });
/** Comes back from a provider; a browser asks for a page. */
export const returnFromProvider = (fields: Readonly<Record<string, string>>): Request =>
  get(`${checkout}/return?${new URLSearchParams({ provider: 'sandbox', ...fields }).toString()}`);
export const giveUp = (fields: Readonly<Record<string, string>>): Request =>
  get(`${checkout}/cancel?${new URLSearchParams({ provider: 'sandbox', ...fields }).toString()}`);
export const inBrowser = (request: Request): Request => withHeaders({ Accept: 'text/html,*/*' }, request);
/** Starts another payment of an invoice. */
export const payAgain = (invoiceId: string, changes: object = {}): Request => ({
  ...pay(changes),
  path: `${checkout}/${invoiceId}/pay`,
});
/** Buys the basket with a wallet, in one step. */
export const payExpress = (changes: object = {}): Request =>
  post(`${checkout}/express`, {
    providerAlias: 'sandbox',
    methodAlias: 'wallet',
    paymentToken: 'tok_success',
    ...changes,
  });
/** Starts a payment in the provider's widget. */
export const createWidgetOrder = (): Request => post(`${checkout}/sandbox/create-order`);
/** What the widget asks for once its payer has agreed. */
export const captureWidgetOrder = (orderId: string): Request =>
  post(`${checkout}/sandbox/capture-order`, { orderId });
