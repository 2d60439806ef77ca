import { z } from 'zod';
import { idOf } from '#values/stream-name.ts';
import { guid, instant, personalText } from './data-fields.ts';
import { sampleAt, sampleEmail, sampleId, sampleLater } from './samples.ts';
import { declareTopics, type EventNamed } from './topic.ts';

const ada = { id: sampleId('customer'), email: sampleEmail, firstName: 'Ada', lastName: 'Lovelace' };

const entityType = 'Customer';
const who = { id: guid, email: personalText, firstName: personalText, lastName: personalText };

const about = <Data extends object>(stream: string, data: Data) => {
  const id = idOf(stream);
  return { entityId: id, data: { id, ...data } };
};

const changed = ({
  data: { email, firstName, lastName },
  stream,
  recordedAt: dateUpdated,
}: EventNamed<'CustomerChanged' | 'CustomerAcceptedMarketing'>) =>
  about(stream, { email, firstName, lastName, dateUpdated });

/** Names and address are null once the customer has been forgotten. */
export const customerTopics = declareTopics('Customers', {
  'customer.created': {
    displayName: 'Customer Created',
    description: 'An e-mail address is known for the first time: from a checkout, an agent or staff.',
    entityType,
    schema: z.strictObject({ ...who, dateCreated: instant }),
    sample: { ...ada, dateCreated: sampleAt },
    on: {
      CustomerRegistered: ({ data: { email, firstName, lastName }, stream, recordedAt: dateCreated }) =>
        about(stream, { email, firstName, lastName, dateCreated }),
    },
  },
  'customer.updated': {
    displayName: 'Customer Updated',
    description:
      'What is kept of a customer has changed: by staff, in their account, or as they agree to marketing at the checkout.',
    entityType,
    schema: z.strictObject({ ...who, dateUpdated: instant }),
    sample: { ...ada, dateUpdated: sampleLater },
    on: { CustomerChanged: changed, CustomerAcceptedMarketing: changed },
  },
  'customer.deleted': {
    displayName: 'Customer Deleted',
    description: 'A customer is deleted; or forgotten, then `email` is null.',
    entityType,
    schema: z.strictObject({ id: guid, email: personalText }),
    sample: { id: ada.id, email: sampleEmail },
    on: {
      CustomerDeleted: ({ data: { email }, stream }) => about(stream, { email }),
      CustomerForgettingStarted: ({ data: { isGuest }, stream }) =>
        isGuest ? null : about(stream, { email: null }),
    },
  },
});
