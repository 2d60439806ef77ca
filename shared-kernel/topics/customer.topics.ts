import { idOf } from '#values/stream-name.ts';
import { sampleAt, sampleEmail, sampleId, sampleLater } from './samples.ts';
import { declareTopics, type Announcement, type EventNamed } from './topic.ts';

const ada = { id: sampleId('customer'), email: sampleEmail, firstName: 'Ada', lastName: 'Lovelace' };

const about = (stream: string, data: object): Announcement => {
  const id = idOf(stream);
  return { entityType: 'Customer', entityId: id, data: { id, ...data } };
};

const changed = ({
  data: { email, firstName, lastName },
  stream,
  recordedAt: dateUpdated,
}: EventNamed<'CustomerChanged' | 'CustomerAcceptedMarketing'>): Announcement =>
  about(stream, { email, firstName, lastName, dateUpdated });

/** Names and address are null once the customer has been forgotten. */
export const customerTopics = declareTopics('Customers', {
  'customer.created': {
    displayName: 'Customer Created',
    description: 'A customer is known for the first time.',
    sample: { ...ada, dateCreated: sampleAt },
    on: {
      CustomerRegistered: ({ data: { email, firstName, lastName }, stream, recordedAt: dateCreated }) =>
        about(stream, { email, firstName, lastName, dateCreated }),
    },
  },
  'customer.updated': {
    displayName: 'Customer Updated',
    description: 'What is known of a customer has changed.',
    sample: { ...ada, dateUpdated: sampleLater },
    on: { CustomerChanged: changed, CustomerAcceptedMarketing: changed },
  },
  'customer.deleted': {
    displayName: 'Customer Deleted',
    description: 'A customer is deleted, or forgotten.',
    sample: { id: ada.id, email: sampleEmail },
    on: {
      CustomerDeleted: ({ data: { email }, stream }) => about(stream, { email }),
      CustomerForgettingStarted: ({ data: { isGuest }, stream }) =>
        isGuest ? null : about(stream, { email: null }),
    },
  },
});
