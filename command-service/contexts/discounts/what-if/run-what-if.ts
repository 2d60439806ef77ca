import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { idOf } from '#values/stream-name.ts';
import { createSalesReplay, type SalesReplay, type WhatIf, type WhatIfResult } from './replay-sales.ts';

/** What is asked of the log; which sales were cancelled it says itself. */
export type WhatIfQuestion = Omit<WhatIf, 'cancelled'>;

/** How far a run is: it reads the log for what was cancelled later, then again for the sales. */
export interface WhatIfProgress {
  readonly phase: 'reading-cancellations' | 'repricing';
  readonly eventsRead: number;
  readonly position: number;
  readonly head: number;
}

export interface WhatIfSources {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'head'>;
  readonly decoder: EventDecoder;
  readonly onProgress?: (progress: WhatIfProgress) => void;
  readonly signal?: AbortSignal;
}

type Page = readonly StoredEvent[];

/** The log up to a position, page by page: while one is worked on, the next is on its way. */
async function* pagesUpTo(
  { store, signal }: WhatIfSources,
  head: number,
  types: ReadonlySet<string>,
): AsyncGenerator<Page> {
  let reading = head === START ? null : store.readAll(START, MAX_PAGE, types);
  while (reading) {
    const page: Page = await reading;
    signal?.throwIfAborted();
    const last = page.at(-1);
    if (!last) return;
    reading = last.position < head ? store.readAll(last.position, MAX_PAGE, types) : null;
    // Awaited in the next turn; until then a failure must not count as unhandled.
    reading?.catch(() => undefined);
    yield last.position > head ? page.filter(({ position }) => position <= head) : page;
  }
}

const decoded = async (
  { decoder }: WhatIfSources,
  page: Page,
  types: ReadonlySet<string>,
): Promise<readonly Recorded[]> => {
  const wanted = page.filter(({ type }) => types.has(type));
  return wanted.length === 0 ? [] : decoder.decodeAll(wanted);
};

const closing = new Set(['InvoiceCancelled', 'InvoiceDeleted']);
type Closed = EventOfType<InvoiceEvent, 'InvoiceCancelled' | 'InvoiceDeleted'>;

/** The sales of these days that do not stand any more. */
const cancelledSales = async (
  sources: WhatIfSources,
  { from, to }: WhatIfQuestion,
  head: number,
): Promise<ReadonlySet<string>> => {
  const cancelled = new Set<string>();
  let eventsRead = 0;
  for await (const page of pagesUpTo(sources, head, closing)) {
    for (const { stream, data } of await decoded(sources, page, closing)) {
      const { sale, businessDay: day } = data as Closed['data'];
      if (sale !== undefined && from <= day && day <= to) cancelled.add(idOf(stream));
    }
    eventsRead += page.length;
    const position = page.at(-1)?.position ?? head;
    sources.onProgress?.({ phase: 'reading-cancellations', eventsRead, position, head });
  }
  return cancelled;
};

/** The events of a basket before this one. */
const before = async (
  { store, decoder }: WhatIfSources,
  { stream, revision }: Recorded,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  while (events.length < revision) {
    const page = await store.readStream(stream, {
      fromRevision: events.length,
      limit: Math.min(MAX_PAGE, revision - events.length),
    });
    if (page.length === 0) break;
    events.push(...(await decoder.decodeAll(page)));
  }
  return events;
};

const takePage = async (sources: WhatIfSources, replay: SalesReplay, page: Page): Promise<void> => {
  for (const event of await decoded(sources, page, replay.eventTypes)) {
    if (replay.hasForgotten(event)) replay.recall(idOf(event.stream), await before(sources, event));
    replay.take(event);
  }
};

/**
 * Reads the log up to where it ends now, and prices its sales again. Appends nothing. Errors: `EngineUnavailable`; the
 * signal's reason.
 */
export const runWhatIf = async (sources: WhatIfSources, question: WhatIfQuestion): Promise<WhatIfResult> => {
  const head = await sources.store.head();
  const cancelled = await cancelledSales(sources, question, head);
  const replay = createSalesReplay({ ...question, cancelled });
  let eventsRead = 0;
  for await (const page of pagesUpTo(sources, head, replay.eventTypes)) {
    await takePage(sources, replay, page);
    eventsRead += page.length;
    const position = page.at(-1)?.position ?? head;
    sources.onProgress?.({ phase: 'repricing', eventsRead, position, head });
  }
  return replay.result();
};
