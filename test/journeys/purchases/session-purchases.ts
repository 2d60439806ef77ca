import { add, get, initialize, manage, pay, payInvoice, post } from '#test/support/requests.ts';
import { invoiceOf, livingIn, shopper, staff, type Body } from './steps.ts';
import type { Purchase } from './walk.ts';

/* Two mugs at 19.99 to the USA, where nothing is taxed: 39.98, the West sends them for 7.25, together 47.23. */
const sold = staff(
  ({ invoiceId }) => manage.get(`/orders/${invoiceId}`),
  'West parcel 7.25, subtotal 39.98, tax 0, shipping 7.25, total 47.23 USD (47.23 USD), paid 47.23, due 0',
  invoiceOf,
);
const statusOf = ({ status }: Body): string => status;
const checkout = '/api/shop/checkout';
const home = {
  fullName: 'Ada',
  line1: '12 High Street',
  city: 'Port',
  postalCode: '1010',
  countryCode: 'US',
};

const withWallet: Purchase = {
  title: 'with a wallet, which brings the address and pays in one step',
  steps: [
    shopper(({ productId }) => add(productId, 2)),
    shopper(
      () =>
        post(`${checkout}/express`, {
          providerAlias: 'sandbox',
          methodAlias: 'wallet',
          paymentToken: 'tok_success',
          customerData: { email: 'ada@example.com', shippingAddress: home, billingAddress: home },
        }),
      'completed',
      statusOf,
    ),
    sold,
  ],
};

/** Its steps tell each other the session; made anew for each shop. */
const checkedSteps = (): Purchase['steps'] => {
  let sessionId = '';
  return [
    shopper(({ productId }) => add(productId, 2)),
    shopper(livingIn('US')),
    shopper(() => initialize({ countryCode: 'US' })),
    shopper(() => pay()),
    shopper(
      ({ invoiceId }) => payInvoice(invoiceId, { paymentMethodToken: 'tok_3ds' }),
      'RequiresAction',
      ({ status, transactionId }: Body) => {
        sessionId = transactionId;
        return status;
      },
    ),
    shopper(() => get(`${checkout}/return?provider=sandbox&sessionId=${sessionId}`), 'Completed', statusOf),
    sold,
  ];
};

const checkedByBank: Purchase = {
  title: 'by a card for which the bank wants to see the payer first',
  get steps() {
    return checkedSteps();
  },
};

export const sessionPurchases: readonly Purchase[] = [withWallet, checkedByBank];
