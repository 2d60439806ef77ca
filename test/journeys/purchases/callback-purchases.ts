import { callbackRequest } from '#test/support/provider-callbacks.ts';
import { add, get, initialize, manage, pay } from '#test/support/requests.ts';
import { invoiceOf, livingIn, shopper, staff, tester, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * Two mugs at 19.99 to the USA, where nothing is taxed: 39.98, the West sends them for 7.25, together 47.23. The second
 * one is told of when its invoice has expired: 47.23 are recorded and given back.
 */
const invoice =
  'West parcel 7.25, subtotal 39.98, tax 0, shipping 7.25, total 47.23 USD (47.23 USD), paid 47.23, due 0';
const DAYS = 2 * 24 * 3600;

const statusOf = ({ status }: Body): string => status;
const told = ({ message }: Body): string => message;

const provider = (
  type: string,
  money: string,
  more: (known: Known) => object = () => ({}),
): PurchaseStep => ({
  by: 'provider',
  ask: (known) => {
    const { sessionId, invoiceId } = known;
    const data = { transactionId: sessionId, invoiceId, amount: 47.23, currency: 'USD', ...more(known) };
    return callbackRequest({ id: `evt_${type}_${sessionId}`, type, data });
  },
  status: 200,
  read: told,
  money,
});
const ordered: readonly PurchaseStep[] = [
  shopper(({ productId }) => add(productId, 2)),
  shopper(livingIn('US')),
  shopper(() => initialize({ countryCode: 'US' })),
  shopper(() => pay({ methodAlias: 'redirect' })),
];
const comesBack = shopper(
  ({ sessionId }) => get(`/api/shop/checkout/return?provider=sandbox&sessionId=${sessionId}`),
  'Completed',
  statusOf,
);
const moneyOf = (body: Body): string =>
  `paid ${body.amountPaid}, refunded ${body.amountRefunded}, due ${body.balanceDue}, ${body.paymentStatus}`;

export const callbackPurchases: readonly Purchase[] = [
  {
    title: 'at the provider’s page, whose callback and the payer’s return come twice each',
    steps: [
      ...ordered,
      provider('PaymentCompleted', 'Webhook processed'),
      comesBack,
      provider('PaymentCompleted', 'Already processed'),
      comesBack,
      staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), invoice, invoiceOf),
    ],
  },
  {
    title: 'paid when the invoice had expired: recorded, and given back once',
    steps: [
      ...ordered,
      tester('/testing/clock', { advanceSeconds: DAYS }),
      tester('/testing/jobs/release-reservations'),
      provider('PaymentCompleted', 'Webhook processed'),
      provider('PaymentCompleted', 'Already processed'),
      {
        ...staff(
          ({ invoiceId }) => manage.get(`/invoices/${invoiceId}/payment-status`),
          'paid 47.23, refunded 47.23, due 0, Refunded',
          moneyOf,
        ),
        isBackground: true,
      },
    ],
  },
];
