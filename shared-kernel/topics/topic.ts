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

/** What a topic says of an event: the entity it is about, and the `data` of the envelope with decimals for money. */
export interface Announcement {
  readonly entityType: string;
  readonly entityId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventNamed<Type extends ShopEvent['type']> = Recorded<Extract<ShopEvent, DomainEvent<Type>>>;

type Announce<Type extends ShopEvent['type']> = (
  event: EventNamed<Type>,
  context: TopicContext,
) => Announcement | readonly Announcement[] | null;

/** An outbound topic: what it is called, what it looks like, and which events it announces. */
export interface Topic {
  readonly displayName: string;
  /** When it goes out, as a sentence for integrators. */
  readonly description: string;
  /** An example of `data`; also what a test delivery carries. */
  readonly sample: Readonly<Record<string, unknown>>;
  /** By event type, pure: a replay says the same. At most one announcement for each entity. None: nothing feeds it. */
  readonly on?: { readonly [Type in ShopEvent['type']]?: Announce<Type> };
  /** What it announces by one of those events, which has the figures. */
  readonly announces?: readonly ShopEvent['type'][];
}

/** Declares the topics of a category, each in one row. */
export const declareTopics = <const Topics extends Readonly<Record<string, Topic>>>(
  category: string,
  topics: Topics,
): { readonly category: string; readonly topics: Topics } => ({ category, topics });
