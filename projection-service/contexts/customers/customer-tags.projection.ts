import type { CustomerEvent } from '#events/customer.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';

/** A tag, under its text in lower case, and how many customers have it. */
export interface CustomerTagDocument extends Document {
  /** As it was first written. */
  readonly name: string;
  readonly customerCount: number;
}

const noTags: readonly string[] = [];

/** What an event gives and takes away. */
const changesOf = (event: Recorded<CustomerEvent>) => {
  switch (event.type) {
    case 'CustomerRegistered':
      return { gained: event.data.tags, lost: noTags };
    case 'CustomerChanged':
      return { gained: event.data.tagsGained, lost: event.data.tagsLost };
    case 'CustomerDeleted':
    case 'CustomerForgettingStarted':
      return { gained: noTags, lost: event.data.tagsLost };
    default:
      return { gained: noTags, lost: noTags };
  }
};

const keyOf = (tag: string): string => tag.toLowerCase();

const counted = (document: CustomerTagDocument | null, event: Recorded<CustomerEvent>, key: string) => {
  const { gained, lost } = changesOf(event);
  const has = (tags: readonly string[]): number => tags.filter((tag) => keyOf(tag) === key).length;
  const customerCount = (document?.customerCount ?? 0) + has(gained) - has(lost);
  if (customerCount <= 0) return remove;
  const name = document?.name ?? gained.find((tag) => keyOf(tag) === key) ?? key;
  return { _id: key, name, customerCount };
};

/** The tags that customers have (docs/rules/customers.md#fields). */
export const customerTagsProjection = projection<CustomerEvent>()<CustomerTagDocument>({
  name: 'customer-tags',
  version: 1,
  indexes: [{ fields: ['customerCount'] }],
  keys: (event) => {
    const { gained, lost } = changesOf(event);
    return [...new Set([...gained, ...lost].map(keyOf))];
  },
  on: {
    CustomerRegistered: counted,
    CustomerChanged: counted,
    CustomerDeleted: counted,
    CustomerForgettingStarted: counted,
  },
});
