import { sampleAt, sampleOrder } from './samples.ts';
import { declareTopics, type Announcement, type EventNamed } from './topic.ts';

const providerKey = 'warehouse';
const synchronised = {
  providerKey,
  itemsProcessed: 20,
  itemsSucceeded: 19,
  itemsFailed: 1,
  completedAt: sampleAt,
};

const announceSync = ({
  data: { configurationId, ...figures },
}: EventNamed<'FulfilmentInventorySynced' | 'FulfilmentProductsSynced'>): Announcement => ({
  entityType: 'FulfilmentProviderConfiguration',
  entityId: configurationId,
  data: figures,
});

export const fulfilmentTopics = declareTopics('Fulfilment', {
  'fulfilment.submitted': {
    displayName: 'Fulfilment Submitted',
    description: 'A fulfilment provider accepts an order.',
    sample: {
      orderId: sampleOrder.id,
      providerKey,
      providerReference: 'WH-1001',
      submittedAt: sampleAt,
    },
    on: {
      FulfilmentSubmitted: ({ data: { orderId, providerKey: key, reference, submittedAt } }) => ({
        entityType: 'Order',
        entityId: orderId,
        data: { orderId, providerKey: key, providerReference: reference, submittedAt },
      }),
    },
  },
  'fulfilment.failed': {
    displayName: 'Fulfilment Failed',
    description: 'An order could not be handed to its provider.',
    sample: {
      orderId: sampleOrder.id,
      providerKey,
      errorMessage: 'The address was refused',
      retryCount: 3,
    },
    on: {
      // Only once it is given up: earlier tries are not announced.
      FulfilmentAttemptFailed: ({ data: { orderId, providerKey: key, message, retryCount, isFinal } }) =>
        isFinal
          ? {
              entityType: 'Order',
              entityId: orderId,
              data: { orderId, providerKey: key, errorMessage: message, retryCount },
            }
          : null,
    },
  },
  'fulfilment.inventory_updated': {
    displayName: 'Fulfilment Inventory Updated',
    description: 'Stock levels of a provider have been taken over.',
    sample: synchronised,
    on: { FulfilmentInventorySynced: announceSync },
  },
  'fulfilment.product_synced': {
    displayName: 'Fulfilment Products Synced',
    description: 'A provider has been told of the products.',
    sample: synchronised,
    on: { FulfilmentProductsSynced: announceSync },
  },
});
