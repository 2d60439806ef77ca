import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { day, guid, text } from './fields.ts';

/** Customers. Stream `customer-<customerId>`; the data subject is the customer. */
export const customerEvents = defineEvents('customers', {
  CustomerRegistered: {
    email: personal(text),
    firstName: personal(text),
    lastName: personal(text),
    acceptsMarketing: z.boolean(),
  },
  CustomerAcceptedMarketing: {},
  /** A sale of this customer was confirmed; the day before it is what the sale is told. */
  CustomerSaleRecorded: { invoiceId: guid, businessDay: day, previousSaleDay: day.nullable() },
});
export type CustomerEvent = EventOf<typeof customerEvents>;

/** A value that must be unique in the shop. Stream `claim-<UUIDv5 of kind and keyed hash of the value>`. */
export const claimEvents = defineEvents('claims', {
  ValueClaimed: { kind: text, ownerId: guid },
  ClaimReleased: { kind: text, ownerId: guid },
});
export type ClaimEvent = EventOf<typeof claimEvents>;
