import type { EventOf } from '#events/define-events.ts';
import type { checkoutEvents } from '#events/checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { SlicedEntries } from '#reference/sliced-entries.ts';
import { idOf } from '#values/stream-name.ts';
import { createExpiryMinutes, type Expiring } from './expiry-minutes.ts';
import { createPlacesAtAddress } from './places-at-address.ts';
import { FOR_EVER, type UnpaidAge, type UnpaidLimits } from './unpaid-invoice.state.ts';

/** The unpaid invoices of the shop: when each expires, and how many stand at an address. */
export interface UnpaidInvoices extends ReferencePart {
  /**
   * At most `max` invoices that have expired by `now`, the oldest minutes first. They are not named again until they
   * are put back, so that one that cannot be cancelled just now does not hold up the others.
   */
  takeExpired(now: number, limits: UnpaidLimits, max: number): readonly string[];
  /** For an invoice that was taken and is unpaid still. */
  putBack(invoiceId: string): void;
  /**
   * Counts an invoice at an address before the log knows of it: two that are placed at the same moment count each
   * other. The answer takes it back, for one that came to nothing.
   */
  expect(invoiceId: string, address: string): () => void;
  /** Unpaid invoices at an address that come before this one, without the one that it replaces. */
  countBefore(address: string, invoiceId: string, replacedInvoiceId: string | null): number;
  /**
   * Whether a placement that the log has begun kept to its limit: the log's order decides, in every process alike. Null
   * while this process has not read of it, or when it has ended.
   */
  isWithinLimit(invoiceId: string): boolean | null;
  count(): number;
  /** Of one customer: all are looked through, so it is nothing for a request that many make. */
  countOf(customerId: string): number;
}

type CheckoutEventOf<Type> = Extract<EventOf<typeof checkoutEvents>, { readonly type: Type }>;
type UnpaidEvent =
  | InvoiceEvent
  | CheckoutEventOf<'OrderPlacementStarted'>
  | CheckoutEventOf<'OrderPlaced'>
  | CheckoutEventOf<'OrderPlacementFailed'>;

type AttemptFailed = Extract<InvoiceEvent, { readonly type: 'PaymentDeclined' | 'PaymentNotAttempted' }>;

/** An invoice that is being placed, or stands unpaid. */
interface Entry extends Expiring {
  /** Keyed hash; null where nobody counts. */
  readonly address: string | null;
  readonly isWithinLimit: boolean;
  /** Null until the invoice is there. */
  customerId: string | null;
  /** Null until the invoice is there: before, it is the placement's to end. */
  age: UnpaidAge | null;
}

const NONE = '-';
/** Of the key of a basket that is placing an invoice. */
const PLACING = 'placing ';

const instantText = (instant: number | null): string => (instant === null ? NONE : instant.toString(36));
const instantOf = (text: string): number | null => (text === NONE ? null : Number.parseInt(text, 36));

/** What is kept of it: a string is written and read many times faster than an object. */
const lineOf = ({ address, isWithinLimit, customerId, age }: Entry): string =>
  [
    address ?? NONE,
    isWithinLimit ? 1 : 0,
    customerId ?? NONE,
    instantText(age?.createdAt ?? null),
    instantText(age?.idleSince ?? null),
    instantText(age?.attemptedAt ?? null),
    instantText(age?.heldUntil ?? null),
  ].join(' ');

const entryOf = (id: string, line: string): Entry => {
  const [address = NONE, within, customerId = NONE, ...instants] = line.split(' ');
  const [createdAt = null, idleSince = null, attemptedAt = null, heldUntil = null] = instants.map(instantOf);
  return {
    id,
    address: address === NONE ? null : address,
    isWithinLimit: within === '1',
    customerId: customerId === NONE ? null : customerId,
    age: createdAt === null ? null : { createdAt, idleSince: idleSince ?? createdAt, attemptedAt, heldUntil },
    minute: null,
  };
};

/** What is known of them, and every index of it. */
const createBook = () => {
  const entries = new Map<string, Entry>();
  const minutes = createExpiryMinutes();
  const places = createPlacesAtAddress();
  /** Baskets and the invoices that they are placing: how a placement fails names no invoice. */
  const placing = new Map<string, string>();
  const lines = new SlicedEntries<string>();
  const setAge = (entry: Entry, age: UnpaidAge): void => {
    entry.age = age;
    lines.set(entry.id, lineOf(entry));
    minutes.enter(entry);
  };
  const remove = (id: string): void => {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    lines.delete(id);
    places.free(entry.address);
    minutes.leave(entry);
  };
  return {
    entries,
    minutes,
    places,
    lines,
    isPlacing: (basketId: string, invoiceId: string): void => {
      placing.set(basketId, invoiceId);
      lines.set(`${PLACING}${basketId}`, invoiceId);
    },
    /** The invoice that it was placing. */
    endsPlacing: (basketId: string): string | undefined => {
      const invoiceId = placing.get(basketId);
      placing.delete(basketId);
      lines.delete(`${PLACING}${basketId}`);
      return invoiceId;
    },
    clear: (): void => {
      for (const id of [...entries.keys()]) remove(id);
      placing.clear();
    },
    add: (entry: Entry): void => {
      entries.set(entry.id, entry);
      lines.set(entry.id, lineOf(entry));
      places.take(entry.address);
      minutes.enter(entry);
    },
    remove,
    setAge,
    change: (id: string, change: (age: UnpaidAge) => UnpaidAge): void => {
      const entry = entries.get(id);
      if (entry?.age) setAge(entry, change(entry.age));
    },
    /** Whether this very invoice is among those that stand at an address. */
    standsAt: (address: string, id: string | null): 0 | 1 =>
      id !== null && entries.get(id)?.address === address ? 1 : 0,
  };
};
type Book = ReturnType<typeof createBook>;

const beginPlacement = (
  { places, isPlacing, add, standsAt }: Book,
  basketId: string,
  { invoiceId, supersededInvoiceId, openInvoices }: CheckoutEventOf<'OrderPlacementStarted'>['data'],
): void => {
  if (!openInvoices) return;
  const { address, limit } = openInvoices;
  places.forgetAll(invoiceId, address);
  const others = places.standing(address) - standsAt(address, supersededInvoiceId);
  isPlacing(basketId, invoiceId);
  add({ id: invoiceId, address, isWithinLimit: others < limit, customerId: null, age: null, minute: null });
};

const endPlacement = ({ entries, endsPlacing, remove }: Book, basketId: string, hasFailed: boolean): void => {
  const invoiceId = endsPlacing(basketId);
  if (hasFailed && invoiceId !== undefined && entries.get(invoiceId)?.age === null) remove(invoiceId);
};

const created = (
  { entries, setAge, add }: Book,
  id: string,
  { createdAt: madeAt, customerId, accountTerms }: InvoiceContent,
): void => {
  const createdAt = Date.parse(madeAt);
  const heldUntil = accountTerms ? FOR_EVER : null;
  const age: UnpaidAge = { createdAt, idleSince: createdAt, attemptedAt: null, heldUntil };
  const entry = entries.get(id);
  if (!entry) return add({ id, address: null, isWithinLimit: true, customerId, age, minute: null });
  entry.customerId = customerId;
  setAge(entry, age);
};

const foldOf = (book: Book): Partial<Fold<UnpaidEvent>> => {
  // Paid, if only in part, replaced, cancelled or sold on account: nobody waits for its first payment any more.
  const isOver = ({ stream }: Recorded): void => book.remove(idOf(stream));
  const failed = ({ stream, data, recordedAt }: Recorded<AttemptFailed>): void => {
    if (data.attemptId === null && !('endsPending' in data)) return;
    const idleSince = Date.parse(data.endedAt ?? recordedAt);
    book.change(idOf(stream), (age) => ({ ...age, idleSince, attemptedAt: null }));
  };
  return {
    OrderPlacementStarted: ({ stream, data }) => beginPlacement(book, idOf(stream), data),
    OrderPlaced: ({ stream }) => endPlacement(book, idOf(stream), false),
    OrderPlacementFailed: ({ stream }) => endPlacement(book, idOf(stream), true),
    InvoiceCreated: ({ stream, data }) => created(book, idOf(stream), data.content),
    PaymentAttempted: ({ stream, data, recordedAt }) => {
      const attemptedAt = Date.parse(data.attemptedAt ?? recordedAt);
      book.change(idOf(stream), (age) => ({ ...age, attemptedAt }));
    },
    PaymentPending: ({ stream, data }) => {
      const attemptedAt = Date.parse(data.pendingSince);
      book.change(idOf(stream), (age) => ({ ...age, attemptedAt }));
    },
    PaymentSessionOpened: ({ stream, data }) => {
      const idleSince = Date.parse(data.openedAt);
      const ended = data.attemptId === undefined ? {} : { attemptedAt: null };
      book.change(idOf(stream), (age) => ({ ...age, idleSince, ...ended }));
    },
    PaymentSessionClosed: ({ stream, data }) => {
      if (!data.endsPending) return;
      const idleSince = Date.parse(data.closedAt);
      book.change(idOf(stream), (age) => ({ ...age, idleSince, attemptedAt: null }));
    },
    PaymentPromised: ({ stream, data }) => {
      const heldUntil = Date.parse(data.heldUntil);
      book.change(idOf(stream), (age) => ({ ...age, heldUntil: Math.max(heldUntil, age.heldUntil ?? 0) }));
    },
    PurchaseOrderAccepted: ({ stream }) =>
      book.change(idOf(stream), (age) => ({ ...age, heldUntil: FOR_EVER })),
    PaymentDeclined: failed,
    PaymentNotAttempted: failed,
    InvoiceVoided: isOver,
    InvoiceSuperseded: isOver,
    InvoiceCancelled: isOver,
    InvoiceDeleted: isOver,
    PaymentCaptured: isOver,
    SaleConfirmed: isOver,
  };
};

/**
 * Unpaid invoices, folded from the log like reference state and with a snapshot, so that neither the job that expires
 * them nor the limit by address ever scans the log. Bounded by what expires and by that very limit.
 */
export const createUnpaidInvoices = (): UnpaidInvoices => {
  const book = createBook();
  const { entries, minutes, places, lines, isPlacing, add, standsAt, clear } = book;
  return {
    name: 'unpaid-invoices',
    isBookkeeping: true,
    version: 3,
    on: foldOf(book),
    takeExpired: (now, limits, max) => {
      minutes.use(limits);
      return minutes.take(now, max);
    },
    putBack: (invoiceId) => {
      const entry = entries.get(invoiceId);
      if (entry) minutes.enter(entry);
    },
    expect: places.expect,
    countBefore: (address, invoiceId, replacedInvoiceId) =>
      places.standing(address) -
      standsAt(address, replacedInvoiceId) -
      standsAt(address, invoiceId) +
      places.expectedBefore(invoiceId, address),
    isWithinLimit: (invoiceId) => entries.get(invoiceId)?.isWithinLimit ?? null,
    count: () => entries.size,
    countOf: (customerId) =>
      entries.values().reduce((sum, entry) => sum + (entry.customerId === customerId ? 1 : 0), 0),
    entries: lines,
    restore: (kept) => {
      for (const [key, line] of kept as readonly (readonly [string, string])[]) {
        if (key.startsWith(PLACING)) isPlacing(key.slice(PLACING.length), line);
        else add(entryOf(key, line));
      }
    },
    clear,
  };
};
