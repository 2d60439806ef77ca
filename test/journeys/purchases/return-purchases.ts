import { add, initialize, manage } from '#test/support/requests.ts';
import { buy, livingIn, nothing, shopper, staff, tester, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

/*
 * All mugs that the West has, to the USA, which it alone serves and where nothing is taxed: 3 × 19.99 + 7.25 = 67.22.
 * They can be ordered once more only when they are on the shelf again.
 */
const ordered = (): readonly PurchaseStep[] => [
  shopper(({ productId }) => add(productId, 3)),
  shopper(livingIn('US')),
  shopper(() => initialize({ countryCode: 'US' })),
  ...buy(
    'West parcel 7.25, subtotal 59.97, tax 0, shipping 7.25, total 67.22 USD (67.22 USD), paid 67.22, due 0',
  ),
];

const DAY = 24 * 3600 * 1000;
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Steps that tell each other ids; made anew for each shop in which they are walked. */
const comesBack = (): readonly PurchaseStep[] => {
  const ids = { order: '', line: '', warehouse: '', payment: '' };
  let now = 0;
  const before: Record<string, number> = {};
  const cents = (amount: number): number => Math.round(amount * 100);
  const report = (read: (totals: Body) => string, money: string): PurchaseStep => ({
    ...staff(
      () => {
        const days = `startDate=${dayOf(now - DAY)}&endDate=${dayOf(now + DAY)}`;
        return manage.get(`/reporting/breakdown?${days}`);
      },
      money,
      read,
    ),
    isBackground: true,
  });
  const figures = ['grossSales', 'returns', 'netSales'] as const;
  /** What the reports have more than before these purchases. */
  const more = (money: string): PurchaseStep =>
    report(
      (body) =>
        figures.map((name) => `${name} ${(cents(body[name]) - (before[name] ?? 0)) / 100}`).join(', '),
      money,
    );
  const order = (money: string): PurchaseStep => ({
    ...staff(
      ({ invoiceId }) => manage.get(`/orders/${invoiceId}`),
      money,
      ({ deliveryStatus, orders: [sent] }: Body) => {
        Object.assign(ids, { order: sent.id, line: sent.lineItems[0].id, warehouse: sent.warehouseId });
        return `${sent.status}, ${deliveryStatus}`;
      },
    ),
    isBackground: true,
  });
  return [
    tester('/testing/clock', { advanceSeconds: 0 }, '', (clock: Body) => {
      now = Date.parse(clock.now);
      return '';
    }),
    report((body) => {
      for (const name of figures) before[name] = cents(body[name]);
      return '';
    }, ''),
    ...ordered(),
    order('ReadyToFulfill, NotShipped'),
    more('grossSales 59.97, returns 0, netSales 59.97'),
    {
      ...staff(
        () => manage.post(`/orders/${ids.order}/shipments`, { lineItems: { [ids.line]: 3 } }),
        'Preparing',
        ({ status }: Body) => status,
      ),
      status: 201,
    },
    order('Processing, Preparing'),
    staff(({ invoiceId }) => manage.post(`/orders/${invoiceId}/cancel`, { reason: 'By phone' }), '', nothing),
    order('Cancelled, null'),
    more('grossSales 0, returns 0, netSales 0'),
    ...ordered(),
    order('ReadyToFulfill, NotShipped'),
    staff(() => manage.put(`/orders/${ids.order}/status`, { status: 'Completed' }), '', nothing),
    order('Completed, Delivered'),
    staff(
      ({ invoiceId }) => manage.get(`/invoices/${invoiceId}/payments`),
      '67.22',
      ({ items: [payment] }: Body) => {
        ids.payment = payment.id;
        return String(payment.amount);
      },
    ),
    staff(
      () => manage.post(`/payments/${ids.payment}/refund`, { amount: 59.97, reason: 'Returned' }),
      '-59.97',
      ({ amount }: Body) => String(amount),
    ),
    staff(
      ({ productId }) =>
        manage.post('/inventory/adjust', {
          ...{ productId, warehouseId: ids.warehouse, quantity: 3, reason: 'Return' },
        }),
      '3',
      ({ stock }: Body) => String(stock),
    ),
    more('grossSales 59.97, returns 59.97, netSales 0'),
    ...ordered(),
  ];
};

export const returnPurchases: readonly Purchase[] = [
  {
    title:
      'cancelled when it was packed, then returned when it had arrived, with the goods back on the shelf',
    get steps() {
      return comesBack();
    },
  },
];
