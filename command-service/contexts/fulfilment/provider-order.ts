import type { OrderContent } from '#events/invoice.fields.ts';
import type { FulfilmentLine, FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import { toDecimal } from '#values/money.ts';
import type { KnownInvoice } from '../orders/invoice.state.ts';

/** What a carrier's service is called there; else the shop's own name for it. */
const serviceCodeOf = ({ shippingOptionKey, shippingServiceName }: OrderContent): string | null => {
  const [kind, , ...code] = shippingOptionKey?.split(':') ?? [];
  return kind === 'dyn' && code.length > 0 ? code.join(':') : shippingServiceName;
};

const lineOf =
  (currency: string, units: ReadonlyMap<string, number>) =>
  ({ id, sku, name, selectedOptions, unitPrice }: OrderContent['lines'][number]): FulfilmentLine => ({
    lineItemId: id,
    sku,
    name,
    quantity: units.get(id) ?? 0,
    unitPrice: toDecimal(unitPrice, currency),
    extendedData: Object.fromEntries(
      selectedOptions.map(({ optionName, valueName }) => [optionName, valueName]),
    ),
  });

/** An order as its provider is told of it: what is left to be sent, and where to. */
export const providerOrder = (
  invoice: KnownInvoice,
  order: OrderContent,
  units: ReadonlyMap<string, number>,
): FulfilmentOrder => {
  const { invoiceNumber, content, email, billingAddress, shippingAddress } = invoice;
  const { currency } = content;
  return {
    orderId: order.orderId,
    orderNumber: invoiceNumber,
    currencyCode: currency,
    lineItems: order.lines.filter(({ id }) => (units.get(id) ?? 0) > 0).map(lineOf(currency, units)),
    shippingAddress,
    billingAddress,
    customerEmail: email,
    shippingServiceCode: serviceCodeOf(order),
    requestedDeliveryDate: order.requestedDeliveryDate,
    internalNotes: null,
    extendedData: {},
  };
};
