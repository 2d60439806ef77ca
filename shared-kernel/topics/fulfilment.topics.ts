import { z } from 'zod';
import { count, guid, instant, personalText, text } from './data-fields.ts';
import { sampleAt, sampleOrder } from './samples.ts';
import { declareTopics, type EventNamed } from './topic.ts';

const providerKey = 'warehouse';
const synchronised = {
  providerKey,
  itemsProcessed: 20,
  itemsSucceeded: 19,
  itemsFailed: 1,
  completedAt: sampleAt,
};

const syncType = 'FulfilmentProviderConfiguration';
const sync = z.strictObject({
  providerKey: text,
  ...{ itemsProcessed: count, itemsSucceeded: count, itemsFailed: count },
  completedAt: instant,
});

const announceSync = ({
  data: { configurationId, ...figures },
}: EventNamed<'FulfilmentInventorySynced' | 'FulfilmentProductsSynced'>) => ({
  entityId: configurationId,
  data: figures,
});

export const fulfilmentTopics = declareTopics('Fulfilment', {
  'fulfilment.submitted': {
    displayName: 'Fulfilment Submitted',
    description: 'A fulfilment provider accepts an order.',
    entityType: 'Order',
    schema: z.strictObject({
      orderId: guid,
      providerKey: text,
      providerReference: text,
      submittedAt: instant,
    }),
    sample: {
      orderId: sampleOrder.id,
      providerKey,
      providerReference: 'WH-1001',
      submittedAt: sampleAt,
    },
    on: {
      FulfilmentSubmitted: ({ data: { orderId, providerKey: key, reference, submittedAt } }) => ({
        entityId: orderId,
        data: { orderId, providerKey: key, providerReference: reference, submittedAt },
      }),
    },
  },
  'fulfilment.failed': {
    displayName: 'Fulfilment Failed',
    description:
      'No further try is made to hand an order to its provider. Earlier failures are not announced.',
    entityType: 'Order',
    schema: z.strictObject({
      orderId: guid,
      providerKey: text,
      errorMessage: personalText,
      retryCount: count,
    }),
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
              entityId: orderId,
              data: { orderId, providerKey: key, errorMessage: message, retryCount },
            }
          : null,
    },
  },
  'fulfilment.inventory_updated': {
    displayName: 'Fulfilment Inventory Updated',
    description: 'The stock levels of a provider have been taken over.',
    entityType: syncType,
    schema: sync,
    sample: synchronised,
    on: { FulfilmentInventorySynced: announceSync },
  },
  'fulfilment.product_synced': {
    displayName: 'Fulfilment Products Synced',
    description: 'A provider has been told of the products.',
    entityType: syncType,
    schema: sync,
    sample: synchronised,
    on: { FulfilmentProductsSynced: announceSync },
  },
});
