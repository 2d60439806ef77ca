import type { OrderContent } from '#events/invoice.fields.ts';
import type { FulfilmentLine, FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import { toDecimal } from '#values/money.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';

/** The carrier's service, else the shop's own option. */
const serviceCodeOf = ({ shippingOptionKey, shippingServiceName }: OrderContent): string | null => {
  const [kind, , ...code] = shippingOptionKey?.split(':') ?? [];
  return kind === 'dyn' && code.length > 0 ? code.join(':') : shippingServiceName;
};

/** A line, followed by its add-ons. */
const linesOf =
  (currency: string, units: ReadonlyMap<string, number>) =>
  (line: OrderContent['lines'][number]): readonly FulfilmentLine[] => {
    const { id, selectedOptions, addons = [] } = line;
    const quantity = units.get(id) ?? 0;
    const named = ({ sku, name, unitPrice }: Pick<typeof line, 'sku' | 'name' | 'unitPrice'>) => ({
      sku,
      name,
      quantity,
      unitPrice: toDecimal(unitPrice, currency),
    });
    const options = selectedOptions.map(({ optionName, valueName }) => [optionName, valueName]);
    return [
      { lineItemId: id, ...named(line), extendedData: Object.fromEntries(options) as Record<string, string> },
      ...addons.map((addon) => ({
        lineItemId: addon.id,
        ...named(addon),
        extendedData: { parentLineItemId: id },
      })),
    ];
  };

/** An order as it is sent to its provider: what is left to ship, and where to. */
export const providerOrder = (
  invoice: KnownInvoice,
  order: OrderContent,
  units: ReadonlyMap<string, number>,
): FulfilmentOrder => {
  const { invoiceNumber, content, email, billingAddress, shippingAddress, staffNotes } = invoice;
  const { currency, channel } = content;
  return {
    orderId: order.orderId,
    orderNumber: invoiceNumber,
    currencyCode: currency,
    lineItems: order.lines.filter(({ id }) => (units.get(id) ?? 0) > 0).flatMap(linesOf(currency, units)),
    shippingAddress,
    billingAddress,
    customerEmail: email,
    shippingServiceCode: serviceCodeOf(order),
    requestedDeliveryDate: order.requestedDeliveryDate,
    internalNotes: staffNotes.length === 0 ? null : staffNotes.join('\n'),
    extendedData: { channel },
  };
};
