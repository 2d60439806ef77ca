import { defined } from '#kernel/defined.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
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

const told = (
  { shipmentId: id, orderId, carrier, trackingNumber, trackingUrl, createdAt: dateCreated }: Told,
  status: ShipmentStatus,
  previousStatus?: ShipmentStatus,
) => ({
  entityType: 'Shipment',
  entityId: id,
  data: {
    ...{ id, orderId, carrier, trackingNumber, dateCreated, trackingUrl, status },
    ...defined({ previousStatus }),
  },
});

export const shipmentTopics = declareTopics('Shipments', {
  'shipment.created': {
    displayName: 'Shipment Created',
    description: 'A shipment of an order is created.',
    sample: { ...sample, status: 'Preparing' },
    on: { ShipmentCreated: ({ data }) => told(data, 'Preparing') },
  },
  'shipment.updated': {
    displayName: 'Shipment Updated',
    description: 'The tracking or the status of a shipment has changed.',
    sample: { ...sample, status: 'Shipped', previousStatus: 'Preparing' },
    on: {
      ShipmentChanged: ({ data }) => told(data, data.status, data.status),
      ShipmentStatusChanged: ({ data }) => told(data, data.to, data.from),
    },
  },
});
