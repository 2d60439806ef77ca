import { z } from 'zod';
import { shipmentStatus } from '#events/shipment.shapes.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import { guid, instant, text } from './data-fields.ts';
import { sampleAt, sampleId, sampleOrder } from './samples.ts';
import { declareTopics } from './topic.ts';

const sample = {
  id: sampleId('shipment'),
  orderId: sampleOrder.id,
  carrier: 'Royal Mail',
  trackingNumber: 'AB123456789GB',
  dateCreated: sampleAt,
  trackingUrl: 'https://tracking.example.com/AB123456789GB',
};

interface Told {
  readonly shipmentId: string;
  readonly orderId: string;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly createdAt: string;
}

const told = ({
  shipmentId: id,
  orderId,
  carrier,
  trackingNumber,
  trackingUrl,
  createdAt: dateCreated,
}: Told) => ({ id, orderId, carrier, trackingNumber, dateCreated, trackingUrl });

const created = (shipment: Told) => ({
  entityId: shipment.shipmentId,
  data: { ...told(shipment), status: 'Preparing' as const },
});

const updated = (shipment: Told, status: ShipmentStatus, previousStatus: ShipmentStatus) => ({
  entityId: shipment.shipmentId,
  data: { ...told(shipment), status, previousStatus },
});

const entityType = 'Shipment';
const shipment = {
  ...{ id: guid, orderId: guid, carrier: text.nullable(), trackingNumber: text.nullable() },
  ...{ dateCreated: instant, trackingUrl: text.nullable(), status: shipmentStatus },
};

export const shipmentTopics = declareTopics('Shipments', {
  'shipment.created': {
    displayName: 'Shipment Created',
    description: 'A shipment of an order is created, by staff or a provider.',
    entityType,
    schema: z.strictObject(shipment),
    sample: { ...sample, status: 'Preparing' },
    on: { ShipmentCreated: ({ data }) => created(data) },
  },
  'shipment.updated': {
    displayName: 'Shipment Updated',
    description: 'The tracking, the delivery date or the status of a shipment has changed.',
    entityType,
    schema: z.strictObject({ ...shipment, previousStatus: shipmentStatus }),
    sample: { ...sample, status: 'Shipped', previousStatus: 'Preparing' },
    on: {
      ShipmentChanged: ({ data }) => updated(data, data.status, data.status),
      ShipmentStatusChanged: ({ data }) => updated(data, data.to, data.from),
    },
  },
});
