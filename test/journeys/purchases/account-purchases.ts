import { add, get, initialize, manage, pay, payByHand, post } from '#test/support/requests.ts';
import { makesAccount } from './account-steps.ts';
import { basketOf, invoiceOf, nothing, shippingOf, shopper, staff, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * What members pay with, by a card that they have saved and on account. To the USA, where nothing is taxed:
 *
 *   1 mug                       19.99
 *   shipping from the West       7.25
 *   total                       27.24    a second order of the same is a cent beyond a limit of 54.47
 */
const checkout = '/api/shop/checkout';
const methods = '/api/shop/storefront/payment-methods';
const emailOf = ({ productId }: Known): string => `buyer-of-${productId}@example.com`;

const ordered = (): readonly PurchaseStep[] => [
  shopper(
    ({ productId }) => add(productId, 1),
    '$19.99, tax $0.00, shipping $0.00, total $19.99 ($19.99)',
    basketOf,
  ),
  ...makesAccount(emailOf, '$19.99, tax $0.00, shipping $0.00, total $19.99 ($19.99)', basketOf),
  shopper(
    () => initialize({ countryCode: 'US' }),
    '1 by West parcel $7.25; $19.99, tax $0.00, shipping $7.25, total $27.24 ($27.24)',
    shippingOf,
  ),
];

const statusOf = ({ success, status, errorMessage }: Body): string =>
  `${success ? 'yes' : 'no'}, ${status}${errorMessage === null ? '' : `, ${errorMessage}`}`;
const total = 'West parcel 7.25, subtotal 19.99, tax 0, shipping 7.25, total 27.24 USD (27.24 USD)' as const;

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const savedCard = (): readonly PurchaseStep[] => {
  const ids = { session: '', method: '' };
  const labels = (rows: Body): string => (rows as Body[]).map(({ displayLabel }) => displayLabel).join(', ');
  return [
    ...ordered(),
    shopper(
      () =>
        post(`${methods}/setup`, { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' }),
      '',
      ({ setupSessionId }) => {
        ids.session = setupSessionId;
        return '';
      },
    ),
    shopper(
      () =>
        post(`${methods}/confirm`, {
          providerAlias: 'sandbox',
          setupSessionId: ids.session,
          paymentMethodToken: 'tok_success',
        }),
      'Visa ending in 4242',
      ({ id, displayLabel }) => {
        ids.method = id;
        return displayLabel;
      },
    ),
    shopper(() => get(methods), 'Visa ending in 4242', labels),
    shopper(
      () => post(`${checkout}/process-saved-payment`, { savedPaymentMethodId: ids.method }),
      'yes, Completed',
      statusOf,
    ),
    staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), `${total}, paid 27.24, due 0`, invoiceOf),
  ];
};

const purchaseOrder = (): readonly PurchaseStep[] => {
  const ids = { customer: '' };
  const onAccount = { providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 4711' } };
  const credit = ({ outstandingBalance, availableCredit }: Body): string =>
    `${outstandingBalance} owed, ${availableCredit} left`;
  const check = (money: string): PurchaseStep =>
    shopper((known) => post(`${checkout}/credit-check`, { email: emailOf(known) }), money, credit);
  return [
    ...ordered(),
    staff(
      (known) => manage.get(`/customers?search=${emailOf(known)}`),
      'one customer',
      ({ items }: Body) => {
        ids.customer = items[0]?.id;
        return items.length === 1 ? 'one customer' : `${items.length} customers`;
      },
    ),
    shopper(() => pay({ providerAlias: 'purchaseorder', methodAlias: null }), '', nothing, 400),
    staff(
      () =>
        manage.put(`/customers/${ids.customer}`, {
          hasAccountTerms: true,
          paymentTermsDays: 30,
          creditLimit: 54.47,
        }),
      '54.47',
      ({ creditLimit }: Body) => String(creditLimit),
    ),
    check('0 owed, 54.47 left'),
    shopper(() => payByHand(onAccount), 'yes, Pending', statusOf),
    check('27.24 owed, 27.23 left'),
    staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), `${total}, paid , due 27.24`, invoiceOf),
    // A cent too much.
    ...ordered(),
    shopper(() => payByHand(onAccount), '', nothing, 400),
    staff(
      ({ invoiceId }) =>
        manage.post(`/invoices/${invoiceId}/payments/manual`, { amount: 27.24, paymentMethod: 'Transfer' }),
      '27.24',
      ({ amount }: Body) => String(amount),
    ),
    check('0 owed, 54.47 left'),
    staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), `${total}, paid 27.24, due 0`, invoiceOf),
    shopper(() => payByHand(onAccount), 'yes, Pending', statusOf),
    check('27.24 owed, 27.23 left'),
  ];
};

export const accountPurchases: readonly Purchase[] = [
  {
    title: 'a member who saves a card and buys with it',
    get steps() {
      return savedCard();
    },
  },
  {
    title: 'a customer with account terms, who buys within the credit limit, not beyond it, and pays later',
    get steps() {
      return purchaseOrder();
    },
  },
];
