import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import { basketEventTypes, isActivity } from '#events/basket-activity.ts';
import type { OpenedCheckout } from '#events/checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { createDueList } from '#reference/due-list.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { idOf } from '#values/stream-name.ts';
import type { RecoveryLimits } from './abandoned-checkout.commands.ts';
import { dueAtOf, entryOf, expiryOf, lineOf, type CheckoutEntry } from './checkout-entry.ts';
import { createTouchedDays } from './touched-days.ts';

/** Checkouts with a known e-mail address, from the first time it is known until they are bought or forgotten. */
export interface CheckoutsInProgress extends ReferencePart {
  find(basketId: string): CheckoutEntry | undefined;
  /** The basket of a record; looked for among all of them, in slices. Null: it is none of these. */
  basketOf(recordId: string): Promise<string | null>;
  /** What is due from now on is due by these limits; in slices, as all of them may move. */
  use(limits: RecoveryLimits): Promise<void>;
  /**
   * Takes at most `max` baskets for which something is due, the longest due first. They are not returned again until
   * something happens to them, or they are put back.
   */
  takeDue(now: number, max: number): readonly string[];
  /** Takes at most `max` whose records are to be told of something at once. */
  takeNews(max: number): readonly string[];
  /** Puts back one that could not be handled. */
  putBack(basketId: string): void;
  /** Nothing came of what was due for it, as of a mail whose link is dead: it waits for its expiry. */
  letRest(basketId: string, now: number): void;
  /** Puts one with news back, without calling listeners. */
  putOff(basketId: string): void;
  /** Called whenever there is news. */
  watch(listener: () => void): void;
  count(): number;
}

const TAKEN_TOGETHER = 1000;

/** Entries with what finds them: by when something is due, by their last day, and those with news. */
const createIndex = (tell: () => void) => {
  const due = createDueList();
  const days = createTouchedDays();
  const news = new Set<string>();
  let limits: RecoveryLimits | null = null;
  const enterDue = (entry: CheckoutEntry): void => {
    const dueAt = limits && dueAtOf(entry, limits);
    if (dueAt === null) due.leave(entry.basketId);
    else due.enter(entry.basketId, dueAt);
  };
  return {
    due,
    days,
    news,
    rest: (entry: CheckoutEntry, now: number): void => {
      const dueAt = limits && dueAtOf(entry, limits);
      const expiry = limits && expiryOf(entry, limits);
      if (dueAt !== null && dueAt <= now && expiry !== null && expiry > now)
        due.enter(entry.basketId, expiry);
    },
    enter: (entry: CheckoutEntry): void => {
      const { basketId, touchedAt, hasNews } = entry;
      enterDue(entry);
      days.enter(basketId, touchedAt);
      if (!hasNews) return void news.delete(basketId);
      news.add(basketId);
      tell();
    },
    leave: (basketId: string): void => {
      due.leave(basketId);
      days.leave(basketId);
      news.delete(basketId);
    },
    use: async (next: RecoveryLimits, entries: ChunkedEntries<CheckoutEntry>): Promise<void> => {
      if (isSameJson(limits, next)) return;
      limits = next;
      let moved = 0;
      for (const { basketId } of [...entries.values()]) {
        const entry = entries.get(basketId);
        if (entry) enterDue(entry);
        if (++moved % TAKEN_TOGETHER === 0) await nextTurn();
      }
    },
    clear: (): void => {
      due.clear();
      days.clear();
      news.clear();
    },
  };
};

const createBook = (tell: () => void) => {
  const entries = new ChunkedEntries<CheckoutEntry>({ keep: lineOf });
  const index = createIndex(tell);
  const remove = (basketId: string): void => {
    entries.delete(basketId);
    index.leave(basketId);
  };
  return {
    entries,
    index,
    remove,
    put: (entry: CheckoutEntry): void => {
      entries.set(entry.basketId, entry);
      index.enter(entry);
    },
    putBack: (basketId: string): void => {
      const entry = entries.get(basketId);
      if (entry) index.enter(entry);
    },
    /** What nothing has happened to for long goes; an abandoned one has its expiry before it. */
    sweep: (now: number): void => {
      for (const basketId of index.days.passed(now)) {
        const stage = entries.get(basketId)?.stage;
        if (stage === 'active' || stage === 'resting') remove(basketId);
      }
    },
  };
};
type Book = ReturnType<typeof createBook>;

const timeOf = ({ recordedAt }: Pick<Recorded, 'recordedAt'>): number => Date.parse(recordedAt);

interface OfCheckout {
  readonly opens?: OpenedCheckout;
  readonly pricing?: BasketPricing;
}

/**
 * The entry that an event begins: with the first e-mail address, or again, for a basket that was cleared, or left alone
 * for so long that this part has let go of it, so that its record may have a stream. Events of releases that knew no
 * abandoned checkouts begin none: an update must not send mails to those who left long ago. What an agent does shows no
 * shopper.
 */
const begins = (event: Recorded): CheckoutEntry | null => {
  const { opens, pricing } = event.data as OfCheckout;
  const isAtIt = pricing?.hasEmail === true && isActivity(event) && event.metadata.actor.kind !== 'agent';
  if (!opens && !isAtIt) return null;
  const at = timeOf(event);
  const { revision } = event;
  return {
    basketId: idOf(event.stream),
    ...{ openedAt: at, activityAt: at, touchedAt: at, activityRevision: revision, revision },
    ...{ stage: 'active', abandonment: null, hasNews: false, soldInvoiceId: null },
    mayHaveRecord: !opens || opens.isAgain === true,
  };
};

const onBasketEvent =
  (book: Book) =>
  (event: Recorded): void => {
    const known = book.entries.get(idOf(event.stream));
    const begun = known ? null : begins(event);
    if (begun) book.sweep(begun.touchedAt);
    if (!known) return begun ? book.put(begun) : undefined;
    const { revision } = event;
    // A sale that its record has not heard of yet counts all the same.
    if (event.type === 'BasketForgotten' && known.soldInvoiceId === null) return book.remove(known.basketId);
    if (!isActivity(event)) return book.put({ ...known, revision });
    if (event.type === 'BasketCleared' && !known.mayHaveRecord) return book.remove(known.basketId);
    const at = timeOf(event);
    const hasNews = known.hasNews || known.stage !== 'active' || event.type === 'BasketCleared';
    const touched = { activityAt: at, touchedAt: at, activityRevision: revision, revision };
    book.put({ ...known, ...touched, hasNews });
  };

type Told<Type extends AbandonedCheckoutEvent['type']> = Recorded<EventOfType<AbandonedCheckoutEvent, Type>>;

const onAbandoned =
  (book: Book) =>
  (event: Told<'CheckoutAbandoned'>): void => {
    const { basketId, openedAt, lastActivityAt, basketRevision, abandonedAt, mailsSent, link } = event.data;
    const { lastMailAt = null } = book.entries.get(basketId)?.abandonment ?? {};
    const revisions = { activityRevision: basketRevision, revision: basketRevision };
    const known = book.entries.get(basketId);
    const entry = known ?? {
      ...{ basketId, ...revisions, soldInvoiceId: null },
      ...{ openedAt: Date.parse(openedAt), activityAt: Date.parse(lastActivityAt) },
    };
    const { activityRevision, soldInvoiceId } = entry;
    book.put({
      ...entry,
      ...{ touchedAt: timeOf(event), mayHaveRecord: true, stage: 'abandoned' },
      abandonment: { abandonedAt, mailsSent, lastMailAt, issuedAt: link.issuedAt },
      // One that is known no more was bought, or cleared, just before its record began.
      hasNews: !known || activityRevision > basketRevision || soldInvoiceId !== null,
    });
  };

const onRecordEvents = (book: Book): Fold<AbandonedCheckoutEvent> => {
  const change = (
    event: Recorded<AbandonedCheckoutEvent>,
    changeOf: (entry: CheckoutEntry) => Partial<CheckoutEntry>,
  ): void => {
    const known = book.entries.get(event.data.basketId);
    if (known) book.put({ ...known, touchedAt: timeOf(event), ...changeOf(known) });
  };
  const abandonmentOf = (
    { abandonment }: CheckoutEntry,
    changed: Partial<NonNullable<CheckoutEntry['abandonment']>>,
  ) => ({ abandonment: abandonment && { ...abandonment, ...changed } });
  return {
    CheckoutAbandoned: onAbandoned(book),
    // The mails that were sent count on.
    CheckoutResumed: (event) =>
      change(event, ({ soldInvoiceId }) => ({ stage: 'active', hasNews: soldInvoiceId !== null })),
    RecoveryMailRequested: (event) => {
      const { mailsSent, requestedAt: lastMailAt } = event.data;
      change(event, (entry) => abandonmentOf(entry, { mailsSent, lastMailAt }));
    },
    RecoveryLinkIssued: (event) =>
      change(event, (entry) => abandonmentOf(entry, { issuedAt: event.data.link.issuedAt })),
    CheckoutRecovered: (event) => change(event, () => ({ stage: 'resting' })),
    CheckoutRecoveryExpired: (event) => change(event, () => ({ stage: 'resting' })),
    AbandonedBasketLost: (event) =>
      change(event, ({ stage, soldInvoiceId }) => ({
        stage: stage === 'abandoned' ? 'gone' : 'resting',
        hasNews: soldInvoiceId !== null,
      })),
    CheckoutConverted: ({ data }) => book.remove(data.basketId),
  };
};

const onSold =
  (book: Book) =>
  (event: Recorded<EventOfType<InvoiceEvent, 'SaleConfirmed'>>): void => {
    const { basketId } = event.data.content;
    const known = basketId === null ? undefined : book.entries.get(basketId);
    if (!known) return;
    if (!known.mayHaveRecord) return book.remove(known.basketId);
    book.put({ ...known, touchedAt: timeOf(event), soldInvoiceId: idOf(event.stream), hasNews: true });
  };

/**
 * Folded from the log, with a snapshot, so that finding what is due scans neither the log nor a read model, and
 * shopping costs no event of its own.
 */
export const createCheckoutsInProgress = (): CheckoutsInProgress => {
  const listeners: (() => void)[] = [];
  const book = createBook(() => {
    for (const listener of listeners) listener();
  });
  const { entries, index } = book;
  const { due, news } = index;
  const seen = onBasketEvent(book);
  return {
    name: 'checkouts-in-progress',
    isBookkeeping: true,
    version: 1,
    on: {
      ...Object.fromEntries(basketEventTypes.map((type) => [type, seen])),
      ...onRecordEvents(book),
      SaleConfirmed: onSold(book),
    },
    find: (basketId) => entries.get(basketId),
    basketOf: async (recordId) => {
      let looked = 0;
      for (const { basketId } of [...entries.values()]) {
        if (abandonedCheckoutId(basketId) === recordId) return basketId;
        if (++looked % TAKEN_TOGETHER === 0) await nextTurn();
      }
      return null;
    },
    use: (limits) => index.use(limits, entries),
    takeDue: (now, max) => due.take(now, max),
    takeNews: (max) => {
      const taken = [...news.values().take(max)];
      for (const basketId of taken) news.delete(basketId);
      return taken;
    },
    putBack: book.putBack,
    letRest: (basketId, now) => {
      const entry = entries.get(basketId);
      if (entry) index.rest(entry, now);
    },
    putOff: (basketId) => {
      if (entries.get(basketId)?.hasNews === true) news.add(basketId);
    },
    watch: (listener) => void listeners.push(listener),
    count: () => entries.size,
    entries,
    restore: (kept) => {
      for (const [basketId, line] of kept as readonly (readonly [string, string])[])
        book.put(entryOf(basketId, line));
    },
    clear: index.clear,
  };
};
