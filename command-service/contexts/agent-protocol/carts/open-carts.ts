import type { AgentCartEvent } from '#events/agent-cart.events.ts';
import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType, Recorded } from '#kernel/event.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { createDueList } from '#reference/due-list.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';

/** `held`: by a session that is open. `told`: something has happened that the cart does not know yet. */
type Standing = 'open' | 'held' | 'told';

/** A cart that is not over. */
interface OpenCartEntry {
  readonly basketId: string;
  /** In milliseconds. */
  readonly expiresAt: number;
  /** Of its checkout. */
  readonly sessionId: string | null;
  readonly standing: Standing;
}

/** Carts from their start until they are over: which are due to expire, or to follow their session or their sale. */
export interface OpenCarts extends ReferencePart {
  /**
   * Takes at most `max`, the longest due first. They are not returned again until something happens to them, or they
   * are put back.
   */
  takeDue(now: number, max: number): readonly string[];
  /** Puts back one that could not be handled. */
  putBack(cartId: string): void;
  count(): number;
}

const NONE = '-';

/** What a snapshot keeps: a string is written and read many times faster than an object. */
const textOf = ({ basketId, expiresAt, sessionId, standing }: OpenCartEntry): string =>
  [basketId, expiresAt.toString(36), sessionId ?? NONE, standing].join(' ');

const entryOf = (text: string): OpenCartEntry => {
  const [basketId = '', expiresAt = '', sessionId = NONE, standing] = text.split(' ');
  return {
    basketId,
    expiresAt: Number.parseInt(expiresAt, 36),
    sessionId: sessionId === NONE ? null : sessionId,
    standing: standing as Standing,
  };
};

const createBook = () => {
  const entries = new ChunkedEntries<OpenCartEntry>({ keep: textOf });
  const due = createDueList();
  const ofBasket = new Map<string, string>();
  const ofSession = new Map<string, string>();
  const enter = (cartId: string, { standing, expiresAt }: OpenCartEntry): void => {
    if (standing === 'held') due.leave(cartId);
    else due.enter(cartId, standing === 'told' ? 0 : expiresAt);
  };
  const put = (cartId: string, cart: OpenCartEntry): void => {
    entries.set(cartId, cart);
    ofBasket.set(cart.basketId, cartId);
    if (cart.sessionId !== null) ofSession.set(cart.sessionId, cartId);
    enter(cartId, cart);
  };
  return {
    ...{ entries, due, ofBasket, ofSession, put },
    change: (cartId: string, changes: Partial<OpenCartEntry>): void => {
      const known = entries.get(cartId);
      if (!known) return;
      if (known.sessionId !== null) ofSession.delete(known.sessionId);
      put(cartId, { ...known, ...changes });
    },
    remove: (cartId: string): void => {
      const known = entries.get(cartId);
      if (!known) return;
      entries.delete(cartId);
      due.leave(cartId);
      ofBasket.delete(known.basketId);
      if (known.sessionId !== null) ofSession.delete(known.sessionId);
    },
    putBack: (cartId: string): void => {
      const known = entries.get(cartId);
      if (known) enter(cartId, known);
    },
    clear: (): void => {
      due.clear();
      ofBasket.clear();
      ofSession.clear();
    },
  };
};
type Book = ReturnType<typeof createBook>;

const onCartEvents = (book: Book): Partial<Fold<AgentCartEvent>> => {
  const over = (event: Recorded): void => book.remove(idOf(event.stream));
  return {
    AgentCartStarted: ({ stream, data: { basketId, expiresAt } }) =>
      book.put(idOf(stream), {
        basketId,
        expiresAt: Date.parse(expiresAt),
        sessionId: null,
        standing: 'open',
      }),
    AgentCartExtended: ({ stream, data }) =>
      book.change(idOf(stream), { expiresAt: Date.parse(data.expiresAt) }),
    AgentCartCheckoutStarted: ({ stream, data: { sessionId } }) => book.change(idOf(stream), { sessionId }),
    AgentCartReopened: ({ stream, data }) =>
      book.change(idOf(stream), {
        sessionId: null,
        standing: 'open',
        expiresAt: Date.parse(data.expiresAt),
      }),
    AgentCartCompleted: over,
    AgentCartCancelled: over,
    AgentCartExpired: over,
  };
};

const onSessionEvents = (book: Book): Partial<Fold<AgentSessionEvent>> => {
  const stands =
    (standing: Standing) =>
    ({ stream }: Recorded): void => {
      const cartId = book.ofSession.get(idOf(stream));
      if (cartId !== undefined) book.change(cartId, { standing });
    };
  return {
    AgentSessionStarted: stands('held'),
    AgentSessionCompleted: stands('told'),
    AgentSessionCancelled: stands('told'),
    AgentSessionExpired: stands('told'),
  };
};

const onSold =
  (book: Book) =>
  ({ data: { content } }: Recorded<EventOfType<InvoiceEvent, 'SaleConfirmed'>>): void => {
    const cartId = content.basketId === null ? undefined : book.ofBasket.get(content.basketId);
    if (cartId !== undefined) book.change(cartId, { standing: 'told' });
  };

/** Folded from the log, with a snapshot, so that finding what is due scans neither the log nor a read model. */
export const createOpenCarts = (): OpenCarts => {
  const book = createBook();
  const { entries, due } = book;
  return {
    name: 'open-agent-carts',
    isBookkeeping: true,
    version: 1,
    on: { ...onCartEvents(book), ...onSessionEvents(book), SaleConfirmed: onSold(book) },
    takeDue: (now, max) => due.take(now, max),
    putBack: book.putBack,
    count: () => entries.size,
    entries,
    restore: (kept) => {
      for (const [cartId, text] of kept as readonly (readonly [string, string])[])
        book.put(cartId, entryOf(text));
    },
    clear: book.clear,
  };
};
