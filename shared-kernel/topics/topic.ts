import type { z } from 'zod';
import type { ShopEvent } from '#events/registry.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';

/** What an event does not say because it is the same for the whole log. */
export interface TopicContext {
  /** The currency of baskets. */
  readonly storeCurrency: string;
  /** Where a download link leads. */
  readonly downloadUrlOf: DownloadUrls;
  /** Where an abandoned checkout is restored. */
  readonly recoveryLinkOf: (issued: { readonly recordId: string; readonly issue: number }) => string;
}

/** What a topic says of an event: which of its entities it is about, and the `data` of the envelope. */
export interface Announcement<Data extends object = object> {
  readonly entityId: string;
  readonly data: Data;
}

export type EventNamed<Type extends ShopEvent['type']> = Recorded<Extract<ShopEvent, DomainEvent<Type>>>;

export type Announce<Type extends ShopEvent['type'], Data extends object> = (
  event: EventNamed<Type>,
  context: TopicContext,
) => Announcement<Data> | readonly Announcement<Data>[] | null;

/** The schema of a topic's `data`: strict objects, and nothing that parsing changes. */
export type DataSchema = z.ZodType<object>;

/** An outbound topic: what it is called, what it looks like, and which events it announces. */
export interface Topic<Schema extends DataSchema = DataSchema> {
  readonly displayName: string;
  /** When it goes out, as a sentence for integrators. */
  readonly description: string;
  /** What kind of entity it is about. */
  readonly entityType: string;
  /** What `data` looks like. For tests and for integrators: nothing that goes out is parsed. */
  readonly schema: Schema;
  /** An example of `data`; also what a test delivery carries. */
  readonly sample: z.output<Schema>;
  /** By event type, pure: a replay says the same. At most one announcement for each entity. */
  readonly on: { readonly [Type in ShopEvent['type']]?: Announce<Type, z.output<Schema>> };
  /** What it announces by one of those events, which has the figures. */
  readonly announces?: readonly ShopEvent['type'][];
}

/** Declares the topics of a category, each in one row. */
export const declareTopics = <const Schemas extends Readonly<Record<string, DataSchema>>>(
  category: string,
  topics: { readonly [Key in keyof Schemas]: Topic<Schemas[Key]> },
): { readonly category: string; readonly topics: typeof topics } => ({ category, topics });
