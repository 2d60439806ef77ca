import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { address, count, day, guid, instant, minor, text } from './fields.ts';
import { sourceType } from './invoice.fields.ts';

/** An address that a customer is known at; agents may know it by a key of their own. */
export const customerAddress = address.extend({ externalKey: text.nullable() });
export type CustomerAddress = z.output<typeof customerAddress>;

const person = { email: personal(text), firstName: personal(text), lastName: personal(text) };

/** Everything that is kept of a customer (docs/rules/customers.md#fields). */
const details = {
  ...person,
  /** By which the login of a member names the customer. */
  memberKey: personal(text),
  addresses: personal(z.array(customerAddress)),
  acceptsMarketing: z.boolean(),
  isFlagged: z.boolean(),
  hasAccountTerms: z.boolean(),
  paymentTermsDays: count.nullable(),
  /** Store currency. */
  creditLimit: minor.nullable(),
  tags: z.array(text),
};

/** What the customer owes after the event. Store currency; what the first logs do not have is missing there. */
const owed = {
  outstanding: minor,
  openInvoices: count.exactOptional(),
  /** The business day on which the invoice is due. */
  dueDay: day.nullable().exactOptional(),
  hasAccountTerms: z.boolean().exactOptional(),
  creditLimit: minor.nullable().exactOptional(),
};

/** What the customer's other sales are by where they were sold. Sales of older releases are the storefront's. */
const bySource = {
  sourceType,
  /** The day of the first sale in each source. */
  firstSaleDays: z.partialRecord(sourceType, day),
};

/** In its last version, an event with personal fields seals them as one, and its stream names their subject. */
const versions = {
  CustomerRegistered: 3,
  CustomerAcceptedMarketing: 3,
  CustomerChanged: 2,
  CustomerDeleted: 2,
  CustomerSegmentJoined: 2,
  CustomerSaleRecorded: 4,
  CustomerSaleCancelled: 2,
};

/** Customers. Stream `customer-<customerId>`; the data subject is the customer. */
export const customerEvents = defineEvents(
  'customers',
  {
    /** `at` is null where an older release registered the customer. */
    CustomerRegistered: {
      ...details,
      at: instant.nullable(),
      /** Whose addresses made the customer known; missing where staff did, or an older release. */
      basketId: guid.exactOptional(),
    },
    CustomerAcceptedMarketing: { ...person, at: instant.nullable() },
    CustomerChanged: { ...details, tagsGained: z.array(text), tagsLost: z.array(text), at: instant },
    /** With the segments and tags that the customer had. */
    CustomerDeleted: {
      email: personal(text),
      segmentIds: z.array(guid),
      tagsLost: z.array(text),
      at: instant,
      /** In older logs it is missing. */
      hasAccount: z.boolean().exactOptional(),
    },
    /** The account of a deleted customer is gone as well. */
    CustomerAccountRemoved: {},
    /** Opens the forgetting of a customer: with the segments and tags that they had (docs/rules/forgetting.md). */
    CustomerForgettingStarted: {
      segmentIds: z.array(guid),
      tagsLost: z.array(text),
      /** Although confirmed sales still have to bring in money. */
      isForced: z.boolean(),
      /** Someone who typed an e-mail address and was never a customer, or was deleted before. */
      isGuest: z.literal(true).exactOptional(),
      /** The agent's session or cart that names them, where perhaps no basket does. */
      namedIn: text.exactOptional(),
      at: instant,
    },
    /**
     * Their keys are destroyed, and what these streams say of them reads as null. The last part closes the forgetting.
     */
    CustomerForgotten: {
      /** From 1. */
      part: count,
      basketIds: z.array(guid),
      /** Records of abandoned checkouts. */
      recordIds: z.array(guid),
      invoiceIds: z.array(guid),
      isLast: z.boolean(),
      at: instant,
    },
    /**
     * A sale of this customer was confirmed. Days are business days; what older releases did not record is null, and
     * they told a sale of the day of the one recorded before it, which may be the same day or a later one.
     */
    CustomerSaleRecorded: {
      invoiceId: guid,
      businessDay: day,
      /** No other sale of the customer stands on that day. */
      isFirstOfDay: z.boolean(),
      /** The last day before it with a sale that stands. */
      previousSaleDay: day.nullable(),
      /** The first day after it with one: it is later than that sale, as invoices may be paid late. */
      nextSaleDay: day.nullable(),
      /** Store currency. */
      total: minor.nullable(),
      placedAt: instant.nullable(),
      /** Where it was billed to. */
      countryCode: text.nullable(),
      ...bySource,
      /** The same days, of sales in that source. */
      ofSource: z.object({
        isFirstOfDay: z.boolean(),
        previousSaleDay: day.nullable(),
        nextSaleDay: day.nullable(),
      }),
    },
    /** A sale that was cancelled or deleted. Days are business days. */
    CustomerSaleCancelled: {
      invoiceId: guid,
      businessDay: day,
      previousSaleDay: day.nullable(),
      /** No other sale of the customer stands on that day. */
      wasOnlyOfDay: z.boolean(),
      /** The next day with a sale, whose previous one is now that of the cancelled sale; null if it still has one. */
      nextSaleDay: day.nullable(),
      ...bySource,
      /** The same days, of sales in that source. */
      ofSource: z.object({
        previousSaleDay: day.nullable(),
        wasOnlyOfDay: z.boolean(),
        nextSaleDay: day.nullable(),
      }),
      figures: z.object({
        orderCount: count,
        totalSpend: minor,
        firstOrderAt: instant.nullable(),
        lastOrderAt: instant.nullable(),
        countryCode: text.nullable(),
      }),
    },
    /** A sale that was edited. Store currency; `version` counts the edits of its invoice. */
    CustomerSaleChanged: { invoiceId: guid, version: count, total: minor, totalSpend: minor },
    /**
     * An invoice of the customer expired unpaid. Not recorded for a customer who has bought, or has had one before.
     */
    CustomerInvoiceExpired: { invoiceId: guid },
    /** A sale on account: nothing is claimed beyond the limit, however many are asked for at once. Store currency. */
    CustomerCreditClaimed: { invoiceId: guid, amount: minor, ...owed, at: instant },
    /**
     * What a confirmed sale still has to bring in; 0: nothing, as it is paid, cancelled or never came to be.
     * `asOf`: the revision of the invoice that says so.
     */
    CustomerOutstandingChanged: {
      invoiceId: guid,
      amount: minor,
      /** What the customer's stream knew of it before. */
      amountBefore: minor.exactOptional(),
      ...owed,
      asOf: z.int(),
      at: instant,
    },
    /** Account terms were given or taken: the invoices that are owed then, at most 500 in an event. */
    CustomerTermsChanged: { hasAccountTerms: z.boolean(), invoiceIds: z.array(guid) },
    /** All that is held about the customer was asked for, by the actor of the event. */
    PersonalDataRequested: { at: instant },
    /** Staff have put the customer in a manual segment. */
    CustomerSegmentJoined: { segmentId: guid, notes: personal(text), at: instant },
    CustomerSegmentLeft: { segmentId: guid, at: instant },
  },
  versions,
);
export type CustomerEvent = EventOf<typeof customerEvents>;

/** What is kept of a customer; personal fields are null once they are forgotten. */
export type CustomerDetails = z.output<z.ZodObject<typeof details>>;

/** A value that must be unique in the shop. Stream `claim-<UUIDv5 of kind and keyed hash of the value>`. */
export const claimEvents = defineEvents('claims', {
  /** `at`: in older logs it is missing. */
  ValueClaimed: { kind: text, ownerId: guid, at: instant.optional() },
  /** The owner has asked for it again: a claim taken for standing too long is never one in use. */
  ClaimRenewed: { kind: text, ownerId: guid, at: instant },
  ClaimReleased: { kind: text, ownerId: guid },
});
export type ClaimEvent = EventOf<typeof claimEvents>;

/** The end of an owner that was not created in time; see `kernel/creation.ts`. In the owner's own stream. */
export const creationEvents = defineEvents('claims', { CreationAbandoned: {} });
export type CreationEvent = EventOf<typeof creationEvents>;
