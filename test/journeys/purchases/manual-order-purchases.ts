import { manage } from '#test/support/requests.ts';
import { invoiceOf, staff, tester, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * What staff sell by telephone, to a customer with 30 days to pay. To Japan, at 10 %:
 *
 *   3 engravings at 3.33         9.99, tax 1.00
 *   1 voucher, not taxed        25.00
 *   total                       35.99
 */
const DAY = 86_400;
const nobody = '00000000-0000-4000-8000-000000000000';
const emailOf = ({ productId }: Known): string => `caller-of-${productId}@example.com`;

const remindedOf = ({ events }: Body): string =>
  events.map(({ data }: Body) => `${data.kind} ${data.number}`).join(', ');
const dueOf = (body: Body): string =>
  `due ${body.balanceDue}, ${body.daysUntilDue} days, ${body.isOverdue ? 'overdue' : 'in time'}`;
const batchOf = ({ successCount, results }: Body): string =>
  `${successCount} paid: ${results.map(({ amount, message }: Body) => amount ?? message).join(', ')}`;

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const soldByTelephone = (): readonly PurchaseStep[] => {
  const ids = { customer: '', taxGroup: '', first: '' };
  const sell = (known: Known) => {
    const address = {
      addressOne: '1-1 Chiyoda',
      townCity: 'Tokyo',
      postalCode: '100-0001',
      countryCode: 'JP',
    };
    const engraving = { name: 'Engraving', amount: 3.33, quantity: 3, taxGroupId: ids.taxGroup };
    return manage.post('/orders/manual', {
      billingAddress: { ...address, name: 'Grace Hopper', email: emailOf(known) },
      customItems: [engraving, { name: 'Voucher', amount: 25 }],
    });
  };
  const order = (money: string, read: PurchaseStep['read']): PurchaseStep =>
    staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}`), money, read);
  const reminded = (money: string): PurchaseStep =>
    staff(
      () => manage.get(`/audit/events?stream=invoice-${ids.first}&type=InvoiceReminded`),
      money,
      remindedOf,
    );
  const owed = (money: string): PurchaseStep =>
    staff(
      () => manage.get(`/customers/${ids.customer}/outstanding`),
      money,
      ({ totalOutstanding, totalOverdue }: Body) => `${totalOutstanding} owed, ${totalOverdue} overdue`,
    );
  const later = (days: number): readonly PurchaseStep[] => [
    tester('/testing/clock', { advanceSeconds: days * DAY }),
    tester('/testing/jobs/invoice-reminders'),
  ];
  return [
    staff(
      () => manage.get('/tax-groups?search=Goods'),
      'Goods',
      ({ items: [group] }: Body) => {
        ids.taxGroup = group.id;
        return group.name;
      },
    ),
    {
      ...staff(
        (known) =>
          manage.post('/customers', { email: emailOf(known), hasAccountTerms: true, paymentTermsDays: 30 }),
        '30 days',
        ({ id, paymentTermsDays }: Body) => {
          ids.customer = id;
          return `${paymentTermsDays} days`;
        },
      ),
      status: 201,
    },
    staff(sell, 'sold', ({ success, invoiceId }: Body) => {
      ids.first = invoiceId;
      return success ? 'sold' : 'not sold';
    }),
    order(
      'Parcel 0, subtotal 34.99, tax 1, shipping 0, total 35.99 USD (35.99 USD), paid , due 35.99',
      invoiceOf,
    ),
    order('due 35.99, 30 days, in time', dueOf),
    owed('35.99 owed, 0 overdue'),
    ...later(27),
    reminded('dueSoon 1'),
    ...later(4),
    reminded('dueSoon 1, overdue 1'),
    order('due 35.99, -1 days, overdue', dueOf),
    owed('35.99 owed, 35.99 overdue'),
    staff(sell, 'sold', ({ success }: Body) => (success ? 'sold' : 'not sold')),
    staff(
      ({ invoiceId }) =>
        manage.post('/orders/batch-mark-paid', {
          invoiceIds: [ids.first, nobody, invoiceId],
          paymentMethod: 'Transfer',
          reference: 'May 4711',
        }),
      '2 paid: 35.99, There is no such invoice., 35.99',
      batchOf,
    ),
    owed('0 owed, 0 overdue'),
    ...later(8),
    reminded('dueSoon 1, overdue 1'),
    order(
      'Parcel 0, subtotal 34.99, tax 1, shipping 0, total 35.99 USD (35.99 USD), paid 35.99, due 0',
      invoiceOf,
    ),
  ];
};

export const manualOrderPurchases: readonly Purchase[] = [
  {
    title: 'by telephone, with 30 days to pay: reminded before and after, and paid in a batch',
    get steps() {
      return soldByTelephone();
    },
  },
];
