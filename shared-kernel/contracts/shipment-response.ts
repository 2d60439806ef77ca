import type { OrderContent } from '#events/invoice.fields.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { Address } from '#values/address.ts';
import { addressResponse } from './basket-response.ts';
import type { ShipmentResponse } from './shipment-fields.ts';

/** A shipment as staff read it. */
export const shipmentResponse = (
  shipment: Shipment,
  order: OrderContent | undefined,
  address: Address | null,
): ShipmentResponse => {
  const { shipmentId, lines, providerShipmentId, createdAt, ...rest } = shipment;
  const known = new Map(order?.lines.map((line) => [line.id, line]));
  return {
    id: shipmentId,
    ...rest,
    lineItems: lines.map(({ lineId, quantity }) => {
      const { sku = null, name = null } = known.get(lineId) ?? {};
      return { lineItemId: lineId, sku, name, quantity };
    }),
    address: addressResponse(address),
    requestedDeliveryDate: order?.requestedDeliveryDate ?? null,
    isDeliveryDateGuaranteed: order?.isDeliveryDateGuaranteed ?? false,
    dateCreated: createdAt,
    extendedData: providerShipmentId === null ? {} : { providerShipmentId },
  };
};
