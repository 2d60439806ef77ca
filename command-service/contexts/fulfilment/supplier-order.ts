import type { SupplierOrderNotification } from '#mails/goods.mails.ts';
import { mailedAddress } from '#mails/order-notification.ts';
import type { FulfilmentLine, FulfilmentOrder } from '#ports/fulfilment-provider.ts';

const PARENT = 'parentLineItemId';

const lineOf = ({
  name,
  sku,
  quantity,
  extendedData,
}: FulfilmentLine): SupplierOrderNotification['lines'][number] => {
  const { [PARENT]: parent, ...options } = extendedData;
  const chosen = Object.entries(options).map(([option, value]) => `${option}: ${value}`);
  const isAddon = parent !== undefined;
  return { name, sku, options: chosen.length === 0 ? null : chosen.join(', '), quantity, isAddon };
};

/** An order as a mail to its supplier tells it (docs/rules/mails.md#topics). */
export const supplierOrder = (
  order: FulfilmentOrder,
  supplierEmail: string,
  supplierName: string | null,
): SupplierOrderNotification => ({
  orderId: order.orderId,
  orderNumber: order.orderNumber,
  supplierEmail,
  supplierName,
  lines: order.lineItems.map(lineOf),
  shippingAddress: mailedAddress(order.shippingAddress),
  shippingServiceCode: order.shippingServiceCode,
  requestedDeliveryDate: order.requestedDeliveryDate,
  internalNotes: order.internalNotes?.split('\n') ?? [],
});
