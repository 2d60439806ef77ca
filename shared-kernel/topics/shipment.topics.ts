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

export const shipmentTopics = declareTopics('Shipments', {
  'shipment.created': {
    displayName: 'Shipment Created',
    description: 'A shipment of an order is created.',
    sample: { ...sample, status: 'Preparing' },
  },
  'shipment.updated': {
    displayName: 'Shipment Updated',
    description: 'The tracking or the status of a shipment has changed.',
    sample: { ...sample, status: 'Shipped', previousStatus: 'Preparing' },
  },
});
