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
  /** Of which the payment is awaited; null: of none. */
  readonly awaitedInvoiceId: string | null;
  /** An order of its basket was begun, by its agent or by a shopper. */
  readonly isOrdered: boolean;
  readonly sale: SessionSale | null;
}

/** Sessions from their start until they are over: which are due, and of whose payments there is news. */
export interface OpenSessions extends ReferencePart {
  /**
   * Takes at most `max` whose time is over, the longest due first. They are not returned again until something happens
   * to them, or they are put back.
   */
  takeDue(now: number, max: number): readonly string[];
  /** Takes at most `max` whose baskets were bought, or of whose awaited payments something is known. */
  takeNews(max: number): readonly string[];
  /** Puts back one that could not be handled, without calling listeners. */
  putBack(sessionId: string): void;
  saleOf(sessionId: string): SessionSale | null;
  /** False: as far as this process has read the log, no order of its basket was ever begun. */
  mayBePaid(sessionId: string): boolean;
  /** Called whenever there is news. */
  watch(listener: () => void): void;
  count(): number;
}

const NONE = '-';

/** What a snapshot keeps: a string is written and read many times faster than an object. */
const lineOf = ({ basketId, expiresAt, isPaying, isOrdered, ...known }: OpenSession): string => {
  const { awaitedInvoiceId, sale } = known;
  return [
    basketId,
    expiresAt.toString(36),
    isPaying ? 1 : 0,
    isOrdered ? 1 : 0,
    awaitedInvoiceId ?? NONE,
    sale?.invoiceId ?? NONE,
    sale?.invoiceNumber ?? NONE,
  ].join(' ');
};

const sessionOf = (line: string): OpenSession => {
  const [basketId = '', expiresAt = '', isPaying, isOrdered, awaited = NONE, invoiceId = NONE, ...number] =
    line.split(' ');
  return {
    basketId,
    expiresAt: Number.parseInt(expiresAt, 36),
    isPaying: isPaying === '1',
    isOrdered: isOrdered === '1',
    awaitedInvoiceId: awaited === NONE ? null : awaited,
    sale: invoiceId === NONE ? null : { invoiceId, invoiceNumber: number.join(' ') },
  };
};

const createBook = (tell: () => void) => {
  const entries = new ChunkedEntries<OpenSession>({ keep: lineOf });
  const due = createDueList();
  const news = new Set<string>();
  const ofBasket = new Map<string, string>();
  const ofInvoice = new Map<string, string>();
  /** Of an awaited payment something may have come to be known before it was awaited. */
  const enter = (sessionId: string, { expiresAt, isPaying, awaitedInvoiceId, sale }: OpenSession): void => {
    if (isPaying || sale !== null) due.leave(sessionId);
    else due.enter(sessionId, expiresAt);
    if (awaitedInvoiceId !== null || sale !== null) news.add(sessionId);
  };
  const leaveInvoice = (sessionId: string): void => {
    const invoiceId = entries.get(sessionId)?.awaitedInvoiceId ?? null;
    if (invoiceId !== null && ofInvoice.get(invoiceId) === sessionId) ofInvoice.delete(invoiceId);
  };
  const put = (sessionId: string, session: OpenSession): void => {
    leaveInvoice(sessionId);
    entries.set(sessionId, session);
    ofBasket.set(session.basketId, sessionId);
    if (session.awaitedInvoiceId !== null) ofInvoice.set(session.awaitedInvoiceId, sessionId);
    enter(sessionId, session);
    if (news.has(sessionId)) tell();
  };
  return {
    entries,
    due,
    news,
    ofBasket,
    put,
    hear: (invoiceId: string): void => {
      const sessionId = ofInvoice.get(invoiceId);
      if (sessionId === undefined) return;
      news.add(sessionId);
      tell();
    },
    change: (sessionId: string, changes: Partial<OpenSession>): void => {
      const known = entries.get(sessionId);
      if (known) put(sessionId, { ...known, ...changes });
    },
    remove: (sessionId: string): void => {
      const known = entries.get(sessionId);
      if (known && ofBasket.get(known.basketId) === sessionId) ofBasket.delete(known.basketId);
      leaveInvoice(sessionId);
      entries.delete(sessionId);
      due.leave(sessionId);
      news.delete(sessionId);
    },
    putBack: (sessionId: string): void => {
      const known = entries.get(sessionId);
      if (known) enter(sessionId, known);
    },
    clear: (): void => {
      due.clear();
      news.clear();
      ofBasket.clear();
      ofInvoice.clear();
    },
  };
};
type Book = ReturnType<typeof createBook>;

const onSessionEvents = (book: Book): Partial<Fold<AgentSessionEvent>> => {
  const over = (event: Recorded): void => book.remove(idOf(event.stream));
  return {
    AgentSessionStarted: ({ stream, data: { basketId, cartId, expiresAt } }) =>
      book.put(idOf(stream), {
        basketId,
        expiresAt: Date.parse(expiresAt),
        isPaying: false,
        awaitedInvoiceId: null,
        // A cart may have been handed over and ordered before.
        isOrdered: cartId !== null,
        sale: null,
      }),
    AgentSessionExtended: ({ stream, data }) =>
      book.change(idOf(stream), { expiresAt: Date.parse(data.expiresAt) }),
    AgentSessionCompletionStarted: ({ stream }) => book.change(idOf(stream), { isPaying: true }),
    AgentSessionPaymentAwaited: ({ stream, data }) =>
      book.change(idOf(stream), { awaitedInvoiceId: data.invoiceId }),
    AgentSessionCompletionFailed: ({ stream, data }) =>
      book.change(idOf(stream), {
        isPaying: false,
        awaitedInvoiceId: null,
        expiresAt: Date.parse(data.expiresAt),
      }),
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

const onOrdering =
  (book: Book) =>
  ({ stream }: Recorded): void => {
    const sessionId = book.ofBasket.get(idOf(stream));
    if (sessionId !== undefined) book.change(sessionId, { isOrdered: true });
  };

/** What may end the wait for a payment, or turn it into one for someone else. */
const onPayments = (book: Book): Partial<Fold<InvoiceEvent>> => {
  const hear = ({ stream }: Recorded): void => book.hear(idOf(stream));
  return {
    PaymentPending: hear,
    PaymentSessionOpened: hear,
    PaymentDeclined: hear,
    PaymentNotAttempted: hear,
    PaymentSessionClosed: hear,
    AuthorizationReleased: hear,
    InvoiceSuperseded: hear,
    InvoiceCancelled: hear,
    InvoiceDeleted: hear,
    SaleConfirmed: onSold(book),
  };
};

/** Folded from the log, with a snapshot, so that finding what is due scans neither the log nor a read model. */
export const createOpenSessions = (): OpenSessions => {
  const listeners: (() => void)[] = [];
  const book = createBook(() => {
    for (const listener of listeners) listener();
  });
  const { entries, due, news } = book;
  return {
    name: 'open-agent-sessions',
    isBookkeeping: true,
    version: 3,
    on: { ...onSessionEvents(book), ...onPayments(book), OrderPlacementStarted: onOrdering(book) },
    takeDue: (now, max) => due.take(now, max),
    takeNews: (max) => {
      const taken = [...news.values().take(max)];
      for (const sessionId of taken) news.delete(sessionId);
      return taken;
    },
    putBack: book.putBack,
    mayBePaid: (sessionId) => entries.get(sessionId)?.isOrdered ?? true,
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
