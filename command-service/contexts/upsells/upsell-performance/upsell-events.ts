import type { Logger } from 'pino';
import { upsellEventsCollection, type UpsellEventRow } from '#contracts/upsell-events.contract.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from '#runtime/back-off.ts';
import { declareUpsellDays } from '#runtime/upsell-days.ts';
import { businessDay } from '#values/business-day.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { ClickedSuggestion, ShownTo, ShownSuggestion, UpsellActions } from './upsell-events.commands.ts';
import { addToMonths, type CountedBatch } from './upsell-counters.ts';

export type NewUpsellEvent = Omit<UpsellEventRow, '_id' | 'dateCreated'>;

/** Impressions and clicks, buffered and in the state store (docs/rules/upsell-performance.md#events). */
export interface UpsellEvents extends UpsellActions {
  /** Buffers events, which are written within a second. False if the buffer is full: then none is taken. */
  record(events: readonly NewUpsellEvent[]): boolean;
  dropped(): number;
  /** Deletes what was recorded before an instant (milliseconds). Returns the number deleted. */
  purge(before: number): Promise<number>;
  /** Waits until everything recorded so far is written; false after `timeoutMs` of real time. */
  idle(timeoutMs: number): Promise<boolean>;
}

export interface UpsellEventsOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly settings: () => Pick<StoreSettings, 'reportingTimeZone'>;
  /** New for every start of a process. */
  readonly instanceId: string;
  /** Whether the shop has any rule: without one, nothing was ever shown. */
  readonly hasRules: () => boolean;
  readonly log: Pick<Logger, 'warn'>;
}

/** Between two writes, and after one that failed; real time. */
const PAUSE_MILLISECONDS = 200;
const AGAIN_MILLISECONDS = 1000;
const WRITTEN_TOGETHER = 1000;
/** Some seconds of the busiest shop: a longer outage of the state store loses the rest. */
const MOST_WAITING = 20_000;
const PURGED_TOGETHER = 1000;
/** Per basket: the latest ones count. */
const MOST_OF_A_BASKET = 1000;

/** Each rule once per location, with everything that it has shown there. */
const shownBy = (rows: readonly UpsellEventRow[]): readonly ShownUpsell[] => {
  const shown = new Map<string, ShownUpsell & { readonly roots: Set<string> }>();
  for (const { upsellRuleId, displayLocation, productRootIds } of rows) {
    const key = `${upsellRuleId} ${displayLocation}`;
    const known = shown.get(key) ?? { upsellRuleId, displayLocation, productRootIds: [], roots: new Set() };
    for (const id of productRootIds) known.roots.add(id);
    shown.set(key, known);
  }
  return [...shown.values()].map(({ roots, ...one }) => ({ ...one, productRootIds: [...roots] }));
};

const impressionOf = (
  { location, basketId, customerId, invoiceId }: ShownTo,
  { upsellRuleId, products }: ShownSuggestion,
): NewUpsellEvent => ({
  upsellRuleId,
  eventType: 'Impression',
  productId: null,
  productIds: products.map(({ productId }) => productId),
  productRootIds: [...new Set(products.map(({ productRootId }) => productRootId))],
  ...{ basketId, customerId, invoiceId: invoiceId ?? null, displayLocation: location },
});

/** Declares its collections: call it once, at the start. */
export const createUpsellEvents = async (options: UpsellEventsOptions): Promise<UpsellEvents> => {
  const { stateStore } = options;
  await stateStore.declare(upsellEventsCollection, [
    { fields: ['dateCreated'] },
    { fields: ['basketId', 'eventType', 'dateCreated'] },
  ]);
  await declareUpsellDays(stateStore);
  return new EventsInBatches(options);
};

/** Writes the first event at once, and those that follow soon in batches, a few times a second. */
class EventsInBatches implements UpsellEvents {
  readonly #options: UpsellEventsOptions;
  #waiting: UpsellEventRow[] = [];
  /** The batch being written. */
  #batch: CountedBatch | null = null;
  #batches = 0;
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #nextAt = 0;
  #dropped = 0;
  #recorded = 0;
  #written = 0;

  constructor(options: UpsellEventsOptions) {
    this.#options = options;
  }

  recordImpressions(to: ShownTo, suggestions: readonly ShownSuggestion[]): void {
    const shown = suggestions.filter(({ products }) => products.length > 0);
    if (shown.length > 0) this.record(shown.map((suggestion) => impressionOf(to, suggestion)));
  }

  recordClick(by: ShownTo, { upsellRuleId, ...product }: ClickedSuggestion): void {
    const { productId } = product;
    this.record([
      { ...impressionOf(by, { upsellRuleId, products: [product] }), eventType: 'Click', productId },
    ]);
  }

  record(events: readonly NewUpsellEvent[]): boolean {
    if (this.#waiting.length + events.length > MOST_WAITING) {
      this.#dropped += events.length;
      return false;
    }
    const dateCreated = isoInstant(this.#options.clock.now());
    for (const event of events) this.#waiting.push({ _id: newId(), ...event, dateCreated });
    this.#recorded += events.length;
    this.#schedule();
    return true;
  }

  readonly dropped = (): number => this.#dropped;

  async impressionsOf(basketIds: readonly string[]): Promise<readonly ShownUpsell[]> {
    if (!this.#options.hasRules()) return [];
    const isOfBasket = (row: UpsellEventRow): boolean =>
      row.basketId !== null && basketIds.includes(row.basketId) && row.eventType === 'Impression';
    // Taken before the store is asked: what is written in between is in one or the other.
    const unwritten = [...this.#waiting, ...(this.#batch?.rows ?? [])].filter(isOfBasket);
    const written = await Promise.all(basketIds.map((basketId) => this.#impressionsIn(basketId)));
    return shownBy([...unwritten.toReversed(), ...written.flat()]);
  }

  /** No sale waits for a state store that is away: impressions that cannot be read do not convert. */
  async #impressionsIn(basketId: string): Promise<readonly UpsellEventRow[]> {
    const { stateStore, log } = this.#options;
    try {
      return await stateStore.find<UpsellEventRow>(upsellEventsCollection, {
        filter: { basketId, eventType: 'Impression' },
        sort: [['dateCreated', -1]],
        limit: MOST_OF_A_BASKET,
      });
    } catch (err) {
      log.warn({ basketId, err }, 'what a basket was shown cannot be read: its order counts for no upsell');
      return [];
    }
  }

  readonly purge = async (before: number): Promise<number> => {
    const filter = { dateCreated: { lt: isoInstant(before) } };
    let removed = 0;
    for (let last = -1; last !== 0; removed += last)
      last = await this.#options.stateStore.deleteMany(upsellEventsCollection, filter, PURGED_TOGETHER);
    return removed;
  };

  async idle(timeoutMs: number): Promise<boolean> {
    const waiting = new AbortController();
    const upTo = this.#recorded;
    await Promise.race([this.#writeUpTo(upTo), pause(timeoutMs, waiting.signal)]);
    waiting.abort();
    return this.#written >= upTo;
  }

  #schedule(afterMs = Math.max(0, this.#nextAt - performance.now())): void {
    if (this.#writing === null) this.#timer ??= setTimeout(() => void this.#write(), afterMs).unref();
  }

  async #writeUpTo(recorded: number): Promise<void> {
    while (this.#written < recorded) if (!(await this.#write())) return;
  }

  /** Writes one batch; false if that failed. */
  #write(): Promise<boolean> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const writing = (this.#writing ?? Promise.resolve()).then(() => this.#writeBatch());
    const settled = writing.then(() => undefined);
    this.#writing = settled;
    return writing.then((isWritten) => {
      if (this.#writing === settled) this.#writing = null;
      this.#nextAt = performance.now() + (isWritten ? PAUSE_MILLISECONDS : AGAIN_MILLISECONDS);
      if (this.#waiting.length > 0 || this.#batch !== null) this.#schedule();
      return isWritten;
    });
  }

  async #writeBatch(): Promise<boolean> {
    if (this.#waiting.length === 0 && this.#batch === null) return true;
    const { stateStore, instanceId: run, log, settings } = this.#options;
    const batch = (this.#batch ??= this.#nextBatch(run));
    const { reportingTimeZone } = settings();
    try {
      await stateStore.write(batch.rows.map((put) => ({ collection: upsellEventsCollection, put })));
      await addToMonths(stateStore, batch, (instant) => businessDay(Date.parse(instant), reportingTimeZone));
      this.#batch = null;
      this.#written += batch.rows.length;
      return true;
    } catch (error) {
      log.warn({ err: error }, 'impressions and clicks are not written yet, trying again');
      return false;
    }
  }

  #nextBatch(run: string): CountedBatch {
    const rows = this.#waiting.slice(0, WRITTEN_TOGETHER);
    this.#waiting = this.#waiting.slice(WRITTEN_TOGETHER);
    return { run, number: ++this.#batches, rows };
  }
}
