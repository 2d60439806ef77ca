import type { OrderContent } from '#events/invoice.fields.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { Address } from '#values/address.ts';
import { addressAnswer } from './basket-answer.ts';
import type { ShipmentAnswer } from './shipment-fields.ts';

/** A shipment as staff read it. */
export const shipmentAnswer = (
  shipment: Shipment,
  order: OrderContent | undefined,
  address: Address | null,
): ShipmentAnswer => {
  const { shipmentId, lines, providerShipmentId, createdAt, ...rest } = shipment;
  const known = new Map(order?.lines.map((line) => [line.id, line]));
  return {
    id: shipmentId,
    ...rest,
    lineItems: lines.map(({ lineId, quantity }) => {
      const { sku = null, name = null } = known.get(lineId) ?? {};
      return { lineItemId: lineId, sku, name, quantity };
    }),
    address: addressAnswer(address),
    requestedDeliveryDate: order?.requestedDeliveryDate ?? null,
    isDeliveryDateGuaranteed: order?.isDeliveryDateGuaranteed ?? false,
    dateCreated: createdAt,
    extendedData: providerShipmentId === null ? {} : { providerShipmentId },
  };
};
