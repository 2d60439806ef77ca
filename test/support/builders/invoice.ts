import type { InvoiceContext } from '#command/contexts/invoices/invoice.context.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Address } from '#values/address.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, type GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';

const { InvoiceCreated, OrderStatusChanged, PaymentCaptured, SaleConfirmed } = invoiceEvents.create;

/** What an invoice is decided with at an instant: no files, no providers, the shop's own limits. */
export const decidedAt = (now: string, changes: Partial<InvoiceContext> = {}): InvoiceContext => ({
  invoiceId: idNamed('mugs'),
  now,
  today: now.slice(0, 10),
  unpaid: defaultStoreSettings,
  downloadsOf: () => null,
  providerFor: () => null,
  ...changes,
});

/** Two mugs at £10.00, 10 % off, £4.00 shipping, 20 % tax on everything, from one warehouse. */
export const twoMugs = (changes: Partial<InvoiceContent> = {}): InvoiceContent => {
  const amounts = { subTotal: 2000, discount: 200, shipping: 400, tax: 440, total: 2640 };
  return {
    basketId: idNamed('basket'),
    customerId: idNamed('ada'),
    channel: 'Online Store',
    source: { type: 'web', displayName: 'Online Store', sourceName: null, sourceId: null, sessionId: null },
    storeCurrency: 'GBP',
    currency: 'GBP',
    rate: '1',
    amounts,
    amountsInStoreCurrency: amounts,
    discounts: [
      {
        id: idNamed('taken'),
        discountId: idNamed('TEN'),
        name: '10 % off',
        code: 'TEN',
        category: 'AmountOffOrder',
        lineId: null,
        amount: 200,
      },
    ],
    shippingTax: 80,
    effectiveShippingTaxRate: null,
    itemCount: 2,
    orders: [mugOrder('order')],
    termsAcceptedAt: null,
    createdAt: '2026-03-01T09:00:00.000Z',
    businessDay: '2026-03-01',
    ...changes,
  };
};

export const mugOrder = (name: string): InvoiceContent['orders'][number] => ({
  orderId: idNamed(name),
  warehouseId: idNamed('east'),
  shippingOptionId: idNamed('parcel'),
  shippingOptionKey: `so:${idNamed('parcel')}`,
  shippingServiceName: 'Parcel',
  shippingCost: 400,
  shippingCostInStoreCurrency: 400,
  requestedDeliveryDate: null,
  lines: [
    {
      id: idNamed(`line ${name}`),
      basketLineId: idNamed('basket line'),
      productId: idNamed('mug'),
      productRootId: idNamed('root mug'),
      sku: 'mug',
      name: 'Mug, blue',
      productRootName: 'Mug',
      selectedOptions: [{ optionName: 'Colour', valueName: 'Blue' }],
      quantity: 2,
      unitPrice: 1000,
      lineTotal: 2000,
      discount: 200,
      tax: 360,
      taxRate: 20,
      isTaxable: true,
      isDigital: false,
      costInStoreCurrency: 300,
      lineTotalInStoreCurrency: 2000,
    },
  ],
});

export const addressOf = (name: string): Address => ({
  name,
  company: null,
  addressOne: '12 St James Square',
  addressTwo: null,
  townCity: 'London',
  countyState: null,
  regionCode: null,
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
  country: 'United Kingdom',
  email: null,
  phone: null,
});

export interface InvoiceWith {
  readonly number?: string;
  readonly customer?: string | null;
  readonly email?: string | null;
  readonly content?: Partial<InvoiceContent>;
}

/** An invoice by a name of the test's own; its stream's id is made of it. */
export const invoice = (name: string, given: InvoiceWith = {}) => {
  const { number = 'INV-0001', customer = 'Ada Lovelace', email = 'ada@example.com' } = given;
  const content = twoMugs(given.content);
  const { total } = content.amounts;
  const stream = streamOf.invoice(idNamed(name));
  const invoiceName = { invoiceNumber: number, businessDay: content.businessDay };
  const address = customer === null ? null : addressOf(customer);
  const paid = invoiceBalance(total, total, 0);

  const placed = InvoiceCreated({
    placementId: idNamed(`placement ${name}`),
    invoiceNumber: number,
    content,
    balance: invoiceBalance(total, 0, 0),
    email,
    billingAddress: address,
    shippingAddress: address,
  });
  const captured = (amount = total) =>
    PaymentCaptured({
      ...invoiceName,
      attemptId: null,
      paymentId: idNamed(`payment ${name} ${amount}`),
      provider: 'manual',
      method: 'manual',
      transactionId: `manual-${name}`,
      amount,
      amountInStoreCurrency: amount,
      currency: content.currency,
      formData: null,
      paidAt: '2026-03-01T09:05:00.000Z',
      balance: invoiceBalance(total, amount, 0),
    });
  const moved = (
    to: OrderStatus,
    order = 'order',
    from: OrderStatus = 'Pending',
    changedDay = content.businessDay,
  ) => OrderStatusChanged({ ...invoiceName, orderId: idNamed(order), from, to, changedDay });
  const confirmed = (balance = paid) =>
    SaleConfirmed({
      invoiceNumber: number,
      content,
      balance,
      email,
      customerName: customer,
      orderStatuses: Object.fromEntries(
        content.orders.map(({ orderId }) => [orderId, 'ReadyToFulfill' as const]),
      ),
      ...(address && { countryCode: address.countryCode }),
      confirmedAt: '2026-03-01T09:05:00.000Z',
    });
  return {
    id: idNamed(name),
    stream,
    invoiceName,
    placed,
    captured,
    moved,
    confirmed,
    /** From the placement to the announced sale. */
    sold: (): readonly GivenEvent[] =>
      inStream(stream, placed, captured(), moved('ReadyToFulfill'), confirmed()),
  };
};
