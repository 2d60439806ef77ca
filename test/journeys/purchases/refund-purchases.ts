import { add, initialize, manage } from '#test/support/requests.ts';
import { basketOf, buy, livingIn, shippingOf, shopper, staff, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * All mugs that the West has, to the USA, which it alone serves and where nothing is taxed: 3 × 19.99 + 7.25 = 67.22.
 * They can be ordered once more only when they are on the shelf again.
 */
const total = 'West parcel 7.25, subtotal 59.97, tax 0, shipping 7.25, total 67.22 USD (67.22 USD)' as const;

const ordered = (): readonly PurchaseStep[] => [
  shopper(
    ({ productId }) => add(productId, 3),
    '$59.97, tax $0.00, shipping $0.00, total $59.97 ($59.97)',
    basketOf,
  ),
  shopper(livingIn('US'), '$59.97, tax $0.00, shipping $0.00, total $59.97 ($59.97)', basketOf),
  shopper(
    () => initialize({ countryCode: 'US' }),
    '3 by West parcel $7.25; $59.97, tax $0.00, shipping $7.25, total $67.22 ($67.22)',
    shippingOf,
  ),
  ...buy(`${total}, paid 67.22, due 0`),
];

const moneyOf = ({ paymentStatus, amountPaid, amountRefunded, balanceDue, creditDue }: Body): string =>
  `${paymentStatus}: ${amountPaid} paid, ${amountRefunded} refunded, ${balanceDue} due, ${creditDue} credit`;
const amountOf = ({ amount }: Body): string => String(amount);

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const refundedAndCancelled = (): readonly PurchaseStep[] => {
  const ids = { invoice: '', payment: '' };
  const refund = (amount: number | null, money: string): PurchaseStep =>
    staff(
      () => manage.post(`/payments/${ids.payment}/refund`, { amount, reason: 'Chipped' }),
      money,
      amountOf,
    );
  const status = (money: string): PurchaseStep =>
    staff(() => manage.get(`/invoices/${ids.invoice}/payment-status`), money, moneyOf);
  return [
    ...ordered(),
    staff(
      ({ invoiceId }) => manage.get(`/invoices/${invoiceId}/payments`),
      '67.22',
      ({ items: [payment] }: Body) => {
        Object.assign(ids, { invoice: payment.invoiceId, payment: payment.id });
        return String(payment.amount);
      },
    ),
    refund(10, '-10'),
    status('PartiallyRefunded: 67.22 paid, 10 refunded, 0 due, 0 credit'),
    staff(
      () => manage.post(`/orders/${ids.invoice}/cancel`, { reason: 'All of them were chipped' }),
      '1 order',
      ({ cancelledOrderCount }: Body) => `${cancelledOrderCount} order`,
    ),
    status('PartiallyRefunded: 67.22 paid, 10 refunded, 0 due, 57.22 credit'),
    refund(null, '-57.22'),
    status('Refunded: 67.22 paid, 67.22 refunded, 0 due, 0 credit'),
    // They are on the shelf again.
    ...ordered(),
  ];
};

export const refundPurchases: readonly Purchase[] = [
  {
    title: 'a sale that is refunded in part, then cancelled, with the goods back on the shelf',
    get steps() {
      return refundedAndCancelled();
    },
  },
];
