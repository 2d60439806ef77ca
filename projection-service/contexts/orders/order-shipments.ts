import { withChanged, withCreated, withStatusChanged } from '#events/shipment-view.ts';
import type { OrderFold } from './order-fold.ts';

/** What shipments make of the document of their invoice (docs/rules/shipments.md). */
export const shipmentFold: OrderFold = {
  ShipmentCreated: (document, { recordedAt, data }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      shipments: withCreated(document.shipments, data),
    },
  ShipmentChanged: (document, { recordedAt, data }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      shipments: withChanged(document.shipments, data),
    },
  ShipmentStatusChanged: (document, { recordedAt, data }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      shipments: withStatusChanged(document.shipments, data),
    },
  ShipmentDeleted: (document, { recordedAt, data: { shipmentId } }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      shipments: document.shipments.filter((shipment) => shipment.shipmentId !== shipmentId),
    },
};
