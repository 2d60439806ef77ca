import { add, chooseCurrency, initialize, manage } from '#test/support/requests.ts';
import {
  findsWarehouse,
  providerReports,
  looksAtClock,
  nobodyYet,
  recorded,
  sendsFrom,
  setsUpProvider,
  statuses,
} from './fulfilment-steps.ts';
import { buy, livingIn, nothing, shopper, staff, tester, type Body } from './steps.ts';
import type { Purchase, PurchaseStep } from './walk.ts';

const later = (minutes: number): readonly PurchaseStep[] => [
  tester('/testing/clock', { advanceSeconds: minutes * 60 + 1 }),
  tester('/testing/jobs/fulfilment-retry'),
];
const failures = (money: string): PurchaseStep =>
  recorded('FulfilmentAttemptFailed', money, ({ retryCount, isFinal }) =>
    isFinal ? `${retryCount} given up` : String(retryCount),
  );

/**
 * Two mugs at 19.99 to the USA, where nothing is taxed: 39.98, the West sends them for 7.25, together 47.23. The West
 * belongs to somebody else by then, who cannot be reached: it is tried five times, and staff send the mugs themselves.
 * Its steps tell each other ids; made anew for each shop in which they are walked.
 */
const sentByNobody = (): readonly PurchaseStep[] => {
  const ids = nobodyYet();
  let orderId = '';
  const status = (money: string): PurchaseStep =>
    statuses(`West parcel ${money}`, ({ orders }) => (orderId = orders[0].id));
  return [
    setsUpProvider(ids, { baseUrl: 'http://house.invalid' }),
    findsWarehouse(ids, 'West'),
    sendsFrom(ids, 'West'),
    shopper(({ productId }) => add(productId, 2)),
    shopper(livingIn('US')),
    shopper(() => initialize({ countryCode: 'US' })),
    ...buy(
      'West parcel 7.25, subtotal 39.98, tax 0, shipping 7.25, total 47.23 USD (47.23 USD), paid 47.23, due 0',
    ),
    failures('1'),
    status('Processing'),
    ...later(5),
    failures('1, 2'),
    ...later(15),
    failures('1, 2, 3'),
    ...later(30),
    failures('1, 2, 3, 4'),
    ...later(60),
    failures('1, 2, 3, 4, 5 given up'),
    status('FulfilmentFailed'),
    sendsFrom(ids, 'West', true),
    staff(() => manage.put(`/orders/${orderId}/status`, { status: 'Shipped' }), '', nothing),
    status('Shipped'),
  ];
};

/** What is told of units that have left. */
const left = (name: string, quantityShipped: number) => ({
  providerShipmentId: name,
  ...{ carrier: 'DPD', trackingNumber: `T-${name}`, shippedDate: '2026-03-02T10:00:00Z' },
  quantityShipped,
});

/**
 * Four mugs at 19.99 to Japan, at 10 %: 79.96, tax 8.00, two from the East for 4.50 and two from the West for 7.25,
 * together 99.71. One less from the East is 59.97, tax 6.00, shipping 11.75, together 77.72: 21.99 are credit.
 */
const sentInParts = (): readonly PurchaseStep[] => {
  const ids = nobodyYet();
  const orders: Record<string, { readonly orderId: string; readonly lineId: string }> = {};
  const learnOrders = (body: Body): void => {
    for (const { id, shippingServiceName, lineItems } of body.orders)
      orders[shippingServiceName.split(' ')[0]] = { orderId: id, lineId: lineItems[0].id };
  };
  const tells = (from: string, type: string, parcel?: ReturnType<typeof left>): PurchaseStep =>
    providerReports(
      ids,
      type,
      () => orders[from]?.orderId ?? '',
      (sku) => {
        if (!parcel) return {};
        const { quantityShipped, ...rest } = parcel;
        return { ...rest, items: [{ sku, quantityShipped }] };
      },
    );
  const goods = (money: string): PurchaseStep => ({
    ...staff(
      ({ invoiceId }) => manage.get(`/orders/${invoiceId}/fulfillment-summary`),
      money,
      ({ deliveryStatus, shippedQuantity, totalQuantity }: Body) =>
        `${deliveryStatus}, ${shippedQuantity} of ${totalQuantity} sent`,
    ),
    isBackground: true,
  });
  const setStatus = (name: string, status: string): PurchaseStep =>
    staff(() => manage.put(`/orders/${orders[name]?.orderId}/status`, { status }), '', nothing);
  const editedOf = ({ total, creditDue }: Body): string => `${total}, ${creditDue} credit`;
  return [
    setsUpProvider(ids),
    findsWarehouse(ids, 'East'),
    findsWarehouse(ids, 'West'),
    shopper(({ productId }) => add(productId, 4)),
    shopper(livingIn('JP')),
    shopper(() => chooseCurrency({ currencyCode: 'USD' })),
    shopper(() => initialize({ countryCode: 'JP' })),
    ...buy(
      'East parcel 4.5, West parcel 7.25, subtotal 79.96, tax 8, shipping 11.75, total 99.71 USD (99.71 USD), paid 99.71, due 0',
    ),
    statuses('East parcel ReadyToFulfill, West parcel ReadyToFulfill', learnOrders),
    staff(
      ({ invoiceId }) => {
        const fewer = { id: orders['East']?.lineId, quantity: 1 };
        return manage.put(`/orders/${invoiceId}/edit`, { version: 0, lineItems: [fewer] });
      },
      '',
      nothing,
    ),
    staff(({ invoiceId }) => manage.get(`/orders/${invoiceId}/edit`), '77.72, 21.99 credit', editedOf),
    // Both houses belong to somebody else from now on. What was sold before goes there once staff say so.
    sendsFrom(ids, 'East'),
    sendsFrom(ids, 'West'),
    ...['East', 'West'].flatMap((name) => [setStatus(name, 'OnHold'), setStatus(name, 'ReadyToFulfill')]),
    recorded('FulfilmentSubmitted', 'processing, processing', ({ providerStatus }) => providerStatus),
    looksAtClock(ids),
    tells('West', 'shipment.created', left('W1', 1)),
    statuses('East parcel Processing, West parcel PartiallyShipped'),
    goods('PartiallyShipped, 1 of 3 sent'),
    tells('East', 'shipment.created', left('E1', 1)),
    tells('West', 'shipment.created', left('W2', 1)),
    statuses('East parcel Shipped, West parcel Shipped'),
    tells('East', 'order.delivered'),
    tells('West', 'order.delivered'),
    statuses('East parcel Completed, West parcel Completed'),
    goods('Delivered, 3 of 3 sent'),
    // One that was taken off the order, and one that nobody had ordered.
    shopper(({ productId }) => add(productId, 3), '', nothing, 400),
    shopper(({ productId }) => add(productId, 2)),
    sendsFrom(ids, 'East', true),
    sendsFrom(ids, 'West', true),
  ];
};

export const fulfilmentPurchases: readonly Purchase[] = [
  {
    title: 'to be sent by somebody who cannot be reached: tried five times, then sent by hand',
    get steps() {
      return sentByNobody();
    },
  },
  {
    title: 'from two warehouses, edited, then sent in parts and delivered by somebody else',
    get steps() {
      return sentInParts();
    },
  },
];
