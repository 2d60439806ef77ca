import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { createDueList } from '#reference/due-list.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';

/** A sale that a session has not heard of yet. */
export interface SessionSale {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
}

/** A session that is not over. */
interface OpenSession {
  readonly basketId: string;
  /** In milliseconds. */
  readonly expiresAt: number;
  /** A payment is under way: it does not expire. */
  readonly isPaying: boolean;
  readonly sale: SessionSale | null;
}

/** Sessions from their start until they are over: which are due, and whose baskets were bought. */
export interface OpenSessions extends ReferencePart {
  /**
   * Takes at most `max` whose time is over, the longest due first. They are not returned again until something happens
   * to them, or they are put back.
   */
  takeDue(now: number, max: number): readonly string[];
  /** Takes at most `max` whose baskets were bought. */
  takeSold(max: number): readonly string[];
  /** Puts back one that could not be handled, without calling listeners. */
  putBack(sessionId: string): void;
  saleOf(sessionId: string): SessionSale | null;
  /** Called whenever a basket was bought. */
  watch(listener: () => void): void;
  count(): number;
}

const NONE = '-';

/** What a snapshot keeps: a string is written and read many times faster than an object. */
const lineOf = ({ basketId, expiresAt, isPaying, sale }: OpenSession): string =>
  [
    basketId,
    expiresAt.toString(36),
    isPaying ? 1 : 0,
    sale?.invoiceId ?? NONE,
    sale?.invoiceNumber ?? NONE,
  ].join(' ');

const sessionOf = (line: string): OpenSession => {
  const [basketId = '', expiresAt = '', isPaying = '', invoiceId = NONE, ...number] = line.split(' ');
  return {
    basketId,
    expiresAt: Number.parseInt(expiresAt, 36),
    isPaying: isPaying === '1',
    sale: invoiceId === NONE ? null : { invoiceId, invoiceNumber: number.join(' ') },
  };
};

const createBook = (tell: () => void) => {
  const entries = new ChunkedEntries<OpenSession>({ keep: lineOf });
  const due = createDueList();
  const sold = new Set<string>();
  const ofBasket = new Map<string, string>();
  const enter = (sessionId: string, { expiresAt, isPaying, sale }: OpenSession): void => {
    if (isPaying || sale !== null) due.leave(sessionId);
    else due.enter(sessionId, expiresAt);
    if (sale !== null) sold.add(sessionId);
  };
  const put = (sessionId: string, session: OpenSession): void => {
    entries.set(sessionId, session);
    ofBasket.set(session.basketId, sessionId);
    enter(sessionId, session);
    if (session.sale !== null) tell();
  };
  return {
    entries,
    due,
    sold,
    ofBasket,
    put,
    change: (sessionId: string, changes: Partial<OpenSession>): void => {
      const known = entries.get(sessionId);
      if (known) put(sessionId, { ...known, ...changes });
    },
    remove: (sessionId: string): void => {
      const known = entries.get(sessionId);
      if (known && ofBasket.get(known.basketId) === sessionId) ofBasket.delete(known.basketId);
      entries.delete(sessionId);
      due.leave(sessionId);
      sold.delete(sessionId);
    },
    putBack: (sessionId: string): void => {
      const known = entries.get(sessionId);
      if (known) enter(sessionId, known);
    },
    clear: (): void => {
      due.clear();
      sold.clear();
      ofBasket.clear();
    },
  };
};
type Book = ReturnType<typeof createBook>;

const onSessionEvents = (book: Book): Partial<Fold<AgentSessionEvent>> => {
  const over = (event: Recorded): void => book.remove(idOf(event.stream));
  return {
    AgentSessionStarted: ({ stream, data: { basketId, expiresAt } }) =>
      book.put(idOf(stream), {
        basketId,
        expiresAt: Date.parse(expiresAt),
        isPaying: false,
        sale: null,
      }),
    AgentSessionExtended: ({ stream, data }) =>
      book.change(idOf(stream), { expiresAt: Date.parse(data.expiresAt) }),
    AgentSessionCompletionStarted: ({ stream }) => book.change(idOf(stream), { isPaying: true }),
    AgentSessionCompletionFailed: ({ stream, data }) =>
      book.change(idOf(stream), { isPaying: false, expiresAt: Date.parse(data.expiresAt) }),
    AgentSessionCompleted: over,
    AgentSessionCancelled: over,
    AgentSessionExpired: over,
  };
};

const onSold =
  (book: Book) =>
  ({ stream, data }: Recorded<EventOfType<InvoiceEvent, 'SaleConfirmed'>>): void => {
    const { basketId } = data.content;
    const sessionId = basketId === null ? undefined : book.ofBasket.get(basketId);
    if (sessionId === undefined) return;
    book.change(sessionId, { sale: { invoiceId: idOf(stream), invoiceNumber: data.invoiceNumber } });
  };

/** Folded from the log, with a snapshot, so that finding what is due scans neither the log nor a read model. */
export const createOpenSessions = (): OpenSessions => {
  const listeners: (() => void)[] = [];
  const book = createBook(() => {
    for (const listener of listeners) listener();
  });
  const { entries, due, sold } = book;
  return {
    name: 'open-agent-sessions',
    isBookkeeping: true,
    version: 1,
    on: { ...onSessionEvents(book), SaleConfirmed: onSold(book) },
    takeDue: (now, max) => due.take(now, max),
    takeSold: (max) => {
      const taken = [...sold.values().take(max)];
      for (const sessionId of taken) sold.delete(sessionId);
      return taken;
    },
    putBack: book.putBack,
    saleOf: (sessionId) => entries.get(sessionId)?.sale ?? null,
    watch: (listener) => void listeners.push(listener),
    count: () => entries.size,
    entries,
    restore: (kept) => {
      for (const [sessionId, line] of kept as readonly (readonly [string, string])[])
        book.put(sessionId, sessionOf(line));
    },
    clear: book.clear,
  };
};
