import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { day, guid, instant, text } from './fields.ts';

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
  /** `at`: in older logs it is missing. */
  ValueClaimed: { kind: text, ownerId: guid, at: instant.optional() },
  /** The owner has asked for it again: whoever takes a claim that has stood for too long takes none that is in use. */
  ClaimRenewed: { kind: text, ownerId: guid, at: instant },
  ClaimReleased: { kind: text, ownerId: guid },
});
export type ClaimEvent = EventOf<typeof claimEvents>;

/** What becomes of an owner whom nobody has created in time; see `kernel/creation.ts`. In the owner's own stream. */
export const creationEvents = defineEvents('claims', { CreationAbandoned: {} });
export type CreationEvent = EventOf<typeof creationEvents>;
