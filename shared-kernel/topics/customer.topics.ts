import { idOf } from '#values/stream-name.ts';
import { sampleAt, sampleEmail, sampleId, sampleLater } from './samples.ts';
import { declareTopics } from './topic.ts';

const ada = { id: sampleId('customer'), email: sampleEmail, firstName: 'Ada', lastName: 'Lovelace' };

export const customerTopics = declareTopics('Customers', {
  'customer.created': {
    displayName: 'Customer Created',
    description: 'A customer is known for the first time.',
    sample: { ...ada, dateCreated: sampleAt },
    on: {
      // Names and address are null once the customer has been forgotten.
      CustomerRegistered: ({ data: { email, firstName, lastName }, stream, recordedAt: dateCreated }) => {
        const id = idOf(stream);
        return {
          entityType: 'Customer',
          entityId: id,
          data: { id, email, firstName, lastName, dateCreated },
        };
      },
    },
  },
  'customer.updated': {
    displayName: 'Customer Updated',
    description: 'What is known of a customer has changed.',
    sample: { ...ada, dateUpdated: sampleLater },
  },
  'customer.deleted': {
    displayName: 'Customer Deleted',
    description: 'A customer is deleted.',
    sample: { id: ada.id, email: sampleEmail },
  },
});
