import type { CustomerDetails, CustomerEvent } from '#events/customer.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { figuresAfter, noSales, type CustomerFigures } from '#values/customer-figures.ts';
import type { CustomerFacts } from '#values/customer-segments.ts';
import { idOf, streamOf } from '#values/stream-name.ts';
import { searchTextOf } from '#values/search.ts';

/**
 * A customer for lists, and for who belongs to which segment. Personal fields are in clear as the log gives them: null
 * once the customer has been forgotten and the view filled again.
 */
export interface CustomerDocument extends Document, CustomerFigures {
  readonly fields: CustomerDetails;
  readonly dateCreated: string;
  readonly dateUpdated: string;
  /** As the customer's own stream knows it; null where an older release did not record it. */
  readonly registeredAt: string | null;
  readonly segmentIds: readonly string[];
  /** In lower case, for search. */
  readonly tagKeys: readonly string[];
  /** Name, e-mail address and tags in lower case. */
  readonly searchText: string;
}

const derived = ({ firstName, lastName, email, tags }: CustomerDetails) => ({
  tagKeys: tags.map((tag) => tag.toLowerCase()),
  searchText: searchTextOf([firstName, lastName, email, ...tags].filter((text) => text !== '')),
});

/** Null where no part of it is known, as of a customer who was forgotten. */
export const nameOf = ({ fields: { firstName, lastName } }: CustomerDocument): string | null => {
  const name = [firstName, lastName].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? null : name;
};

/** What segments ask of a customer. */
export const factsOfDocument = (document: CustomerDocument): CustomerFacts => ({
  ...document,
  email: document.fields.email,
  tags: document.fields.tags,
  dateCreated: document.registeredAt,
});

type SalesEvent = Extract<
  CustomerEvent,
  { readonly type: 'CustomerSaleRecorded' | 'CustomerSaleCancelled' | 'CustomerSaleChanged' }
>;

const withFigures = (document: CustomerDocument | null, event: Recorded<SalesEvent>) =>
  document && { ...document, ...figuresAfter(document, event) };

/** Customers by id (docs/rules/customers.md#fields). */
export const customerListProjection = projection<CustomerEvent>()<CustomerDocument>({
  name: 'customers',
  version: 3,
  indexes: [
    { fields: ['dateCreated'] },
    { fields: ['searchText'] },
    { fields: ['fields.email'] },
    { fields: ['orderCount'] },
    { fields: ['totalSpend'] },
    { fields: ['lastOrderAt'] },
  ],
  keys: (event) => [idOf(event.stream)],
  streamOf: streamOf.customer,
  on: {
    CustomerRegistered: (_, { recordedAt, data: { at, ...fields } }, key) => ({
      _id: key,
      fields,
      dateCreated: at ?? recordedAt,
      dateUpdated: at ?? recordedAt,
      registeredAt: at,
      segmentIds: [],
      ...noSales,
      ...derived(fields),
    }),
    CustomerAcceptedMarketing: (document, { recordedAt, data: { at } }) =>
      document && {
        ...document,
        fields: { ...document.fields, acceptsMarketing: true },
        dateUpdated: at ?? recordedAt,
      },
    CustomerChanged: (document, { data: { tagsGained: _, tagsLost: __, at, ...fields } }) =>
      document && { ...document, fields, dateUpdated: at, ...derived(fields) },
    CustomerDeleted: () => remove,
    CustomerForgettingStarted: () => remove,
    CustomerSaleRecorded: withFigures,
    CustomerSaleCancelled: withFigures,
    CustomerSaleChanged: withFigures,
    CustomerSegmentJoined: (document, { data: { segmentId } }) =>
      document && { ...document, segmentIds: [...document.segmentIds, segmentId] },
    CustomerSegmentLeft: (document, { data: { segmentId } }) =>
      document && { ...document, segmentIds: document.segmentIds.filter((id) => id !== segmentId) },
  },
});
