import { invoiceEvents } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Feed } from '#log/feed.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import { START, type EventStore } from '#ports/event-store.ts';

/** The invoices that were created last, so that mails about them need not read and decrypt their streams again. */
export interface RecentInvoices {
  /** The stream of an invoice up to the event at a position; null where it is not at hand, or may not be read now. */
  upTo(position: number): Promise<readonly Recorded[] | null>;
  stop(): Promise<void>;
}

export interface RecentInvoicesOptions {
  readonly feed: Pick<Feed, 'follow'>;
  readonly store: Pick<EventStore, 'head'>;
  /** Whose key is gone since an event was decoded is forgotten. */
  readonly personalTexts: Pick<PersonalTexts, 'sealers'>;
}

const MOST_INVOICES = 256;
const MOST_EVENTS = 50;

const eventTypes: ReadonlySet<string> = new Set(Object.keys(invoiceEvents.create));

const mayHold = (events: readonly Recorded[], position: number): boolean =>
  (events[0]?.position ?? Infinity) <= position && (events.at(-1)?.position ?? START) >= position;

const subjectsOf = (events: readonly Recorded[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ metadata }) => metadata.subject ?? []));

/**
 * Follows the log from its head on. Events of invoices are decoded for it also while no mail about invoices is enabled.
 * Errors: `EngineUnavailable`.
 */
export const followRecentInvoices = async ({
  feed,
  store,
  personalTexts,
}: RecentInvoicesOptions): Promise<RecentInvoices> => {
  const streams = new Map<string, Recorded[]>();

  const take = (event: Recorded): void => {
    const { stream, revision } = event;
    if (event.type === 'InvoiceForgotten') return void streams.delete(stream);
    if (revision === 0) {
      streams.set(stream, [event]);
      const [oldest] = streams.size > MOST_INVOICES ? streams.keys() : [];
      if (oldest !== undefined) streams.delete(oldest);
      return;
    }
    const known = streams.get(stream);
    if (!known) return;
    // Whole from the first event on, or not at all.
    if (known.length === revision && revision < MOST_EVENTS) known.push(event);
    else streams.delete(stream);
  };

  const following = feed.follow({
    name: 'recent-invoices',
    after: await store.head(),
    eventTypes,
    handle: async (events) => events.forEach(take),
  });

  return {
    upTo: async (position) => {
      for (const known of streams.values()) {
        if (!mayHold(known, position)) continue;
        const index = known.findIndex((event) => event.position === position);
        if (index < 0) continue;
        const events = known.slice(0, index + 1);
        const subjects = subjectsOf(events);
        return (await personalTexts.sealers(subjects)).size === subjects.size ? events : null;
      }
      return null;
    },
    stop: () => following.leave(),
  };
};
