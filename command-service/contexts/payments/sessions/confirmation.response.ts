import { addressResponse } from '#contracts/basket-response.ts';
import type { ConfirmationResponse, LinkedOrderResponse } from '#contracts/confirmation.contract.ts';
import type { DownloadLinkResponse } from '#contracts/downloads.contract.ts';
import type { Amounts, OrderLine } from '#events/invoice.fields.ts';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { fulfillmentOf } from '#values/order-transitions.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { ShopProviders } from '../providers/shop-providers.ts';

export interface ConfirmationSources {
  readonly providers: Pick<ShopProviders, 'ever'>;
}

type LineResponse = ConfirmationResponse['lines'][number];

const totalsOf = (amounts: Amounts, currency: string): ConfirmationResponse['totals'] => ({
  currencyCode: currency,
  currencySymbol: symbolOf(currency),
  subTotal: toDecimal(amounts.subTotal, currency),
  formattedSubTotal: formatMoney(amounts.subTotal, currency),
  discount: toDecimal(amounts.discount, currency),
  formattedDiscount: formatMoney(amounts.discount, currency),
  shipping: toDecimal(amounts.shipping, currency),
  formattedShipping: formatMoney(amounts.shipping, currency),
  tax: toDecimal(amounts.tax, currency),
  formattedTax: formatMoney(amounts.tax, currency),
  total: toDecimal(amounts.total, currency),
  formattedTotal: formatMoney(amounts.total, currency),
});

const lineAmounts = (
  {
    unitPrice,
    lineTotal,
    discount,
    tax,
    taxRate,
  }: Pick<OrderLine, 'unitPrice' | 'lineTotal' | 'discount' | 'tax' | 'taxRate'>,
  currency: string,
) => ({
  unitPrice: toDecimal(unitPrice, currency),
  formattedUnitPrice: formatMoney(unitPrice, currency),
  lineTotal: toDecimal(lineTotal, currency),
  formattedLineTotal: formatMoney(lineTotal, currency),
  discount: toDecimal(discount, currency),
  tax: toDecimal(tax, currency),
  taxRate,
});

/** The line of a product, and behind it its add-ons as lines of their own. */
const linesOf = (line: OrderLine, currency: string): LineResponse[] => {
  const { id, sku, name, productRootName, selectedOptions, quantity, isDigital, addons = [] } = line;
  const lineItemType = line.kind === 'custom' ? 'Custom' : 'Product';
  return [
    {
      ...{ id, parentLineItemId: null, lineItemType, sku, name, productRootName, selectedOptions },
      ...{ quantity, isDigital },
      ...lineAmounts(line, currency),
    },
    ...addons.map((addon): LineResponse => ({
      ...{ id: addon.id, parentLineItemId: id, lineItemType: 'Addon', sku: addon.sku, name: addon.name },
      ...{ productRootName, selectedOptions: [], quantity, isDigital },
      ...lineAmounts(addon, currency),
    })),
  ];
};

/** A delivery is expected on the day that was asked for, else as was said when it was chosen. */
const shipmentsOf = ({ content: { orders, currency } }: KnownInvoice): ConfirmationResponse['shipments'] =>
  orders
    .filter(({ shippingOptionKey }) => shippingOptionKey !== null)
    .map((order) => ({
      shippingMethodName: order.shippingServiceName,
      deliveryEstimate: order.requestedDeliveryDate ?? order.deliveryDescription ?? null,
      cost: toDecimal(order.shippingCost, currency),
      formattedCost: formatMoney(order.shippingCost, currency),
    }));

/** What of the goods is packed or on its way; a shipment that was called off is none. */
const parcelsOf = ({ shipments, content: { orders } }: KnownInvoice): ConfirmationResponse['parcels'] => {
  const names = new Map(orders.flatMap(({ lines }) => lines.map(({ id, name }) => [id, name])));
  return shipments
    .filter(({ status }) => status !== 'Cancelled')
    .map(({ shipmentId: id, status, carrier, trackingNumber, trackingUrl, lines, ...dates }) => ({
      ...{ id, status, carrier, trackingNumber, trackingUrl },
      shippedDate: dates.shippedDate,
      actualDeliveryDate: dates.actualDeliveryDate,
      lineItems: lines.map(({ lineId, quantity }) => ({
        lineItemId: lineId,
        name: names.get(lineId) ?? null,
        quantity,
      })),
    }));
};

const refundsOf = ({ refunds }: KnownInvoice): ConfirmationResponse['refunds'] =>
  refunds
    .filter(({ status }) => status !== 'declined')
    .map(({ amount, currency, given }) => ({
      amount: toDecimal(amount, currency),
      formattedAmount: formatMoney(amount, currency),
      status: given === null ? 'Pending' : 'Refunded',
      dateRefunded: given?.at ?? null,
    }));

/** How it was paid or authorised, as shoppers know it; what staff have recorded, as they called it. Null before. */
const paymentMethodOf = (
  { payments, authorizations, purchaseOrder }: KnownInvoice,
  { providers }: ConfirmationSources,
): string | null => {
  const held = authorizations.findLast(({ status }) => status === 'held');
  const { provider, method } = payments.at(-1) ??
    held ?? {
      provider: purchaseOrder && 'purchaseorder',
      method: null,
    };
  if (provider === null) return null;
  const methods = providers.ever(provider)?.methods ?? [];
  const known = methods.find(({ methodAlias }) => method === null || methodAlias === method);
  return known?.displayName ?? method;
};

/** What of an invoice is nobody's own. */
const sharedOf = (invoiceId: string, invoice: KnownInvoice) => {
  const { content, balance } = invoice;
  const { currency, storeCurrency } = content;
  return {
    success: true as const,
    message: '',
    invoiceId,
    invoiceNumber: invoice.invoiceNumber,
    dateCreated: content.createdAt,
    lines: content.orders.flatMap(({ lines }) => lines.flatMap((line) => linesOf(line, currency))),
    totals: totalsOf(content.amountsInStoreCurrency, storeCurrency),
    displayTotals: totalsOf(content.amounts, currency),
    shipments: shipmentsOf(invoice),
    parcels: parcelsOf(invoice),
    paymentStatus: balance.paymentStatus,
    isCancelled: invoice.status !== 'open',
    isRefunded: balance.paymentStatus === 'Refunded',
  };
};

/** An invoice as whoever has its link is shown it (docs/rules/orders.md#order-link). */
export const linkedOrderResponse = (invoiceId: string, invoice: KnownInvoice): LinkedOrderResponse => ({
  ...sharedOf(invoiceId, invoice),
  fulfillmentStatus: fulfillmentOf(Object.values(invoice.orderStatuses)),
});

/** An invoice as its buyer is shown it (docs/rules/checkout.md#confirmation). */
export const confirmationResponse = (
  invoiceId: string,
  invoice: KnownInvoice,
  downloads: readonly DownloadLinkResponse[],
  sources: ConfirmationSources,
): ConfirmationResponse => {
  const { content, balance } = invoice;
  const { currency } = content;
  return {
    ...sharedOf(invoiceId, invoice),
    email: invoice.email,
    billingAddress: addressResponse(invoice.billingAddress),
    shippingAddress: addressResponse(invoice.shippingAddress),
    paymentMethod: paymentMethodOf(invoice, sources),
    amountPaid: toDecimal(balance.amountPaid, currency),
    amountRefunded: toDecimal(balance.amountRefunded, currency),
    balanceDue: toDecimal(balance.balanceDue, currency),
    refunds: refundsOf(invoice),
    notes: [...invoice.buyersNotes],
    downloads: [...downloads],
  };
};
