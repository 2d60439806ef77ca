import { withChanged, withCreated, withStatusChanged, type Shipment } from '#events/shipment-view.ts';
import type { OrderFold } from './order-fold.ts';
import { withNote } from './order-money.ts';

const unitsOf = ({ lines }: Pick<Shipment, 'lines'>): number =>
  lines.reduce((sum, { quantity }) => sum + quantity, 0);

const pieces = (count: number): string => (count === 1 ? '1 piece' : `${count} pieces`);

/** What shipments make of the document of their invoice (docs/rules/shipments.md). */
export const shipmentFold: OrderFold = {
  ShipmentCreated: (document, { recordedAt, data }) => {
    if (!document) return null;
    const { createdAt, carrier, trackingNumber, by } = data;
    const sentBy = [carrier, trackingNumber].filter((part) => part !== null).join(' ');
    const text = `A shipment of ${pieces(unitsOf(data))} was created${sentBy === '' ? '.' : `: ${sentBy}`}`;
    return {
      ...withNote(document, createdAt, text, by),
      dateUpdated: recordedAt,
      shipments: withCreated(document.shipments, data),
    };
  },
  ShipmentChanged: (document, { recordedAt, data }) =>
    document && {
      ...document,
      dateUpdated: recordedAt,
      shipments: withChanged(document.shipments, data),
    },
  ShipmentStatusChanged: (document, { recordedAt, data }) => {
    if (!document) return null;
    const { from, to, at } = data;
    return {
      ...withNote(document, at, `A shipment went from ${from} to ${to}.`),
      dateUpdated: recordedAt,
      shipments: withStatusChanged(document.shipments, data),
    };
  },
  ShipmentDeleted: (document, { recordedAt, data: { shipmentId, by, deletedAt } }) =>
    document && {
      ...withNote(document, deletedAt, 'A shipment was deleted.', by),
      dateUpdated: recordedAt,
      shipments: document.shipments.filter((shipment) => shipment.shipmentId !== shipmentId),
    },
};
