import type { EditableInvoice, EditPreview } from '#contracts/invoice-edit.contract.ts';
import type { InvoiceContent, OrderAddon, OrderLine, OrderStatus } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { fulfillmentOf } from '#values/order-transitions.ts';
import { symbolOf } from '#values/currency.ts';
import { toDecimal } from '#values/money.ts';
import { cannotEditReason, shippedUnits } from '../../invoices/order-desk/edit-invoice.state.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';

type LineResponse = EditPreview['lineItems'][number];

const lineAmounts = (line: OrderLine | OrderAddon, { currency, storeCurrency }: InvoiceContent) => {
  const { unitPrice, lineTotal, discount, tax, taxRate, isTaxable, lineTotalInStoreCurrency } = line;
  const { costInStoreCurrency, cost = costInStoreCurrency } = line;
  return {
    unitPrice: toDecimal(unitPrice, currency),
    lineTotal: toDecimal(lineTotal, currency),
    lineTotalInStoreCurrency: toDecimal(lineTotalInStoreCurrency, storeCurrency),
    discount: toDecimal(discount, currency),
    tax: toDecimal(tax, currency),
    taxRate,
    isTaxable,
    cost: toDecimal(cost, currency),
    costInStoreCurrency: toDecimal(costInStoreCurrency, storeCurrency),
  };
};

/** A line, followed by its add-ons. `canReduceTo`: the units in shipments. */
const lineResponses = (
  orderId: string,
  line: OrderLine,
  content: InvoiceContent,
  canReduceTo: number,
): LineResponse[] => {
  const { id, productId, productRootId, sku, name, productRootName, selectedOptions, quantity, isDigital } =
    line;
  const lineItemType = line.kind === 'custom' ? 'Custom' : 'Product';
  return [
    {
      ...{
        id,
        orderId,
        productId,
        productRootId,
        sku,
        name,
        productRootName,
        selectedOptions,
        quantity,
        isDigital,
      },
      ...{ lineItemType, parentLineItemId: null, canReduceTo },
      ...defined({ taxGroupId: line.taxGroupId }),
      ...lineAmounts(line, content),
    },
    ...(line.addons ?? []).map((addon): LineResponse => ({
      ...{ id: addon.id, orderId, productId: null, productRootId: null, sku: addon.sku, name: addon.name },
      ...{ productRootName, selectedOptions: [], quantity, isDigital, canReduceTo },
      ...{ lineItemType: 'Addon', parentLineItemId: id, optionId: addon.optionId, valueId: addon.valueId },
      ...lineAmounts(addon, content),
    })),
  ];
};

const ordersOf = (
  { orders, ...content }: InvoiceContent,
  shipped: ReadonlyMap<string, number>,
  orderStatuses: Readonly<Record<string, OrderStatus>>,
): EditableInvoice['orders'] =>
  orders.map((order) => ({
    id: order.orderId,
    status: orderStatuses[order.orderId] ?? 'Pending',
    warehouseId: order.warehouseId,
    shippingOptionId: order.shippingOptionId,
    selectionKey: order.shippingOptionKey,
    shippingServiceName: order.shippingServiceName,
    shippingCost: toDecimal(order.shippingCost, content.currency),
    lineItems: order.lines.flatMap((line) =>
      lineResponses(order.orderId, line, { ...content, orders }, shipped.get(line.id) ?? 0),
    ),
  }));

const figuresOf = ({ amounts, currency, discounts }: InvoiceContent) => {
  const own = (amount: number): number => toDecimal(amount, currency);
  const offShipping = discounts
    .filter(({ category }) => category === 'FreeShipping')
    .reduce((sum, { amount }) => sum + amount, 0);
  return {
    subTotal: own(amounts.subTotal),
    discountTotal: own(amounts.discount),
    adjustedSubTotal: own(Math.max(0, amounts.subTotal - (amounts.discount - offShipping))),
    shippingTotal: own(amounts.shipping),
    tax: own(amounts.tax),
    total: own(amounts.total),
  };
};

const discountsOf = ({ discounts, orders, currency }: InvoiceContent): EditableInvoice['orderDiscounts'] => {
  const lines = orders.flatMap((order) =>
    order.lines
      .flatMap((line) => [line, ...(line.addons ?? [])])
      .map((piece) => ({ orderId: order.orderId, id: piece.id, key: piece.basketLineId ?? piece.id })),
  );
  return discounts.map((row) => {
    const { id, discountId, name, code, category, lineId, orderId = null } = row;
    const line = lines.find((one) => one.key === lineId && (orderId === null || one.orderId === orderId));
    return {
      ...{ id, orderId, lineItemId: line?.id ?? null, discountId, name, code, category },
      amount: toDecimal(row.amount, currency),
      isManual: row.isManual ?? false,
      reason: row.reason ?? null,
      isVisibleToCustomer: row.isVisibleToCustomer ?? true,
    };
  });
};

/** An invoice as the editor shows it (docs/rules/invoice-editing.md). */
export const editableResponse = (invoiceId: string, invoice: KnownInvoice): EditableInvoice => {
  const { content, balance, edits, invoiceNumber, orderStatuses, shippingAddress } = invoice;
  const { currency } = content;
  const cannot = cannotEditReason(invoice);
  return {
    id: invoiceId,
    version: edits,
    invoiceNumber,
    fulfillmentStatus: fulfillmentOf(Object.values(orderStatuses)),
    canEdit: cannot === null,
    cannotEditReason: cannot,
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    orders: ordersOf(content, shippedUnits(invoice), orderStatuses),
    orderDiscounts: discountsOf(content),
    shippingCountryCode: shippingAddress?.countryCode ?? null,
    shippingRegion: shippingAddress?.regionCode ?? null,
    isTaxRemoved: content.isTaxRemoved ?? false,
    ...figuresOf(content),
    paymentStatus: balance.paymentStatus,
    balanceDue: toDecimal(balance.balanceDue, currency),
    creditDue: toDecimal(balance.creditDue, currency),
  };
};

export const previewResponse = (
  invoice: KnownInvoice,
  content: InvoiceContent,
  warnings: readonly string[],
): EditPreview => {
  const { currency, storeCurrency, rate, amountsInStoreCurrency, orders } = content;
  const shipped = shippedUnits(invoice);
  return {
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    storeCurrencyCode: storeCurrency,
    storeCurrencySymbol: symbolOf(storeCurrency),
    pricingExchangeRate: Number(rate),
    ...figuresOf(content),
    totalInStoreCurrency: toDecimal(amountsInStoreCurrency.total, storeCurrency),
    lineItems: orders.flatMap(({ orderId, lines }) =>
      lines.flatMap((line) => lineResponses(orderId, line, content, shipped.get(line.id) ?? 0)),
    ),
    warnings: [...warnings],
  };
};
