import type { EventOf } from '#events/define-events.ts';
import type { checkoutEvents } from '#events/checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { idOf } from '#values/stream-name.ts';
import { createExpiryMinutes } from './expiry-minutes.ts';
import { createRests, heldElsewhere, isRest } from './held-at-address.ts';
import type { Goods, HeldElsewhere, PlaceOfOrder } from '../../invoices/invoice.commands.ts';
import { createPlacesAtAddress } from './places-at-address.ts';
import { entryOf, lineOf, type Entry } from './unpaid-entry.ts';
import type { UnpaidLimits } from '#values/store-settings.ts';
import { FOR_EVER, type UnpaidAge } from '../../invoices/unpaid-invoice.state.ts';

/** Unpaid invoices: when each expires, and how many there are per address. */
export interface UnpaidInvoices extends ReferencePart {
  /**
   * Takes at most `max` invoices that have expired by `now`, oldest minutes first. They are not returned again until
   * put back, so that one that cannot be cancelled now does not hold up the others.
   */
  takeExpired(now: number, limits: UnpaidLimits, max: number): readonly string[];
  /** Puts back an invoice that is still unpaid. */
  putBack(invoiceId: string): void;
  /**
   * Counts an invoice at an address before the log knows of it, so that two placed at the same moment count each other
   * and their goods. The function returned undoes that, for a placement that failed.
   */
  expect(invoiceId: string, place: PlaceOfOrder, goods: Goods): () => void;
  /** Earlier unpaid invoices at the address, except the one that this one replaces. */
  countBefore(address: string, invoiceId: string, replacedInvoiceId: string | null): number;
  /** What those invoices hold. */
  heldBefore(address: string, invoiceId: string, replacedInvoiceId: string | null): HeldElsewhere;
  /**
   * Whether a placement in the log is within its limit: the log's order decides, alike in every process. Null if this
   * process has not read it yet, or it has ended.
   */
  isWithinLimit(invoiceId: string): boolean | null;
  count(): number;
  /** Scans all entries, so not for frequent requests. */
  countOf(customerId: string): number;
}

type CheckoutEventOf<Type> = Extract<EventOf<typeof checkoutEvents>, { readonly type: Type }>;
type UnpaidEvent =
  | InvoiceEvent
  | CheckoutEventOf<'OrderPlacementStarted'>
  | CheckoutEventOf<'OrderPlaced'>
  | CheckoutEventOf<'OrderPlacementFailed'>;

type AttemptFailed = Extract<InvoiceEvent, { readonly type: 'PaymentDeclined' | 'PaymentNotAttempted' }>;

const PLACING = 'placing ';

const createBook = () => {
  const entries = new Map<string, Entry>();
  const minutes = createExpiryMinutes();
  const places = createPlacesAtAddress();
  /** Of those alone whose goods are counted elsewhere than their orders. */
  const held = createPlacesAtAddress();
  const lines = new ChunkedEntries<string>();
  const rests = createRests(lines);
  /** Baskets and the invoices they are placing: the event of a failed placement names no invoice. */
  const placing = new Map<string, string>();
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
    places.free(entry.address, id);
    held.free(entry.heldAt, id);
    minutes.leave(entry);
  };
  return {
    ...{ entries, minutes, places, held, rests, lines },
    isPlacing: (basketId: string, invoiceId: string): void => {
      placing.set(basketId, invoiceId);
      lines.set(`${PLACING}${basketId}`, invoiceId);
    },
    /** Returns the invoice that the basket was placing. */
    endsPlacing: (basketId: string): string | undefined => {
      const invoiceId = placing.get(basketId);
      placing.delete(basketId);
      lines.delete(`${PLACING}${basketId}`);
      return invoiceId;
    },
    clear: (): void => {
      for (const id of [...entries.keys()]) remove(id);
      placing.clear();
      rests.clear();
    },
    add: (entry: Entry): void => {
      entries.set(entry.id, entry);
      lines.set(entry.id, lineOf(entry));
      places.take(entry.address, entry.id);
      held.take(entry.heldAt, entry.id);
      minutes.enter(entry);
    },
    remove,
    setAge,
    change: (id: string, change: (age: UnpaidAge) => UnpaidAge): void => {
      const entry = entries.get(id);
      if (entry?.age) setAge(entry, change(entry.age));
    },
    /** 1 if this invoice counts at the address. */
    standsAt: (address: string, id: string | null): 0 | 1 =>
      id !== null && entries.get(id)?.address === address ? 1 : 0,
  };
};
type Book = ReturnType<typeof createBook>;

const beginPlacement = (
  { places, held, isPlacing, add, standsAt }: Book,
  basketId: string,
  data: CheckoutEventOf<'OrderPlacementStarted'>['data'],
): void => {
  const { invoiceId, supersededInvoiceId, openInvoices, content } = data;
  if (!openInvoices) return;
  const { address, limit, heldAt = null } = openInvoices;
  const holds = data.holds.filter(({ quantity }) => quantity > 0);
  const endsAt = content.holdEndsAt === undefined ? null : Date.parse(content.holdEndsAt);
  places.forgetAll(invoiceId, address);
  if (heldAt !== null) held.forgetAll(invoiceId, heldAt);
  const others = places.standing(address) - standsAt(address, supersededInvoiceId);
  isPlacing(basketId, invoiceId);
  const unmade = { customerId: null, age: null, minute: null };
  add({ id: invoiceId, address, heldAt, isWithinLimit: others < limit, holds, endsAt, ...unmade });
};

const endPlacement = ({ entries, endsPlacing, remove }: Book, basketId: string, hasFailed: boolean): void => {
  const invoiceId = endsPlacing(basketId);
  if (hasFailed && invoiceId !== undefined && entries.get(invoiceId)?.age === null) remove(invoiceId);
};

const created = (
  { entries, setAge, add }: Book,
  id: string,
  { createdAt: madeAt, customerId, accountTerms, holdEndsAt }: InvoiceContent,
): void => {
  const createdAt = Date.parse(madeAt);
  const heldUntil = accountTerms ? FOR_EVER : null;
  const endsAt = holdEndsAt === undefined ? null : Date.parse(holdEndsAt);
  const age: UnpaidAge = { createdAt, idleSince: createdAt, attemptedAt: null, heldUntil, endsAt };
  const entry = entries.get(id);
  const anywhere = { address: null, heldAt: null, isWithinLimit: true, holds: [], endsAt: null };
  if (!entry) return add({ id, ...anywhere, customerId, age, minute: null });
  entry.customerId = customerId;
  setAge(entry, age);
};

const foldOf = (book: Book): Partial<Fold<UnpaidEvent>> => {
  // Paid even in part, replaced, cancelled or sold on account: it no longer waits for its first payment.
  const isOver = ({ stream }: Recorded): void => book.remove(idOf(stream));
  const failed = ({ stream, data }: Recorded<AttemptFailed>): void => {
    if (data.attemptId === null && !('endsPending' in data)) return;
    book.change(idOf(stream), (age) => ({ ...age, attemptedAt: null }));
  };
  /** A large invoice ended unpaid: unless a large one replaces it at once, the address rests. */
  const leftUnpaid = (id: string, endedAt: string, replacedBy: string | null): void => {
    const entry = book.entries.get(id);
    const address = entry?.heldAt ?? entry?.address ?? null;
    const endsAt = entry?.endsAt ?? null;
    const isGoneOn = replacedBy !== null && (book.entries.get(replacedBy)?.endsAt ?? null) !== null;
    if (address !== null && endsAt !== null && !isGoneOn) book.rests.begin(address, Date.parse(endedAt));
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
      book.change(idOf(stream), (age) => ({ ...age, attemptedAt: null }));
    },
    PaymentPromised: ({ stream, data }) => {
      const heldUntil = Date.parse(data.heldUntil);
      book.change(idOf(stream), (age) => ({ ...age, heldUntil: Math.max(heldUntil, age.heldUntil ?? 0) }));
    },
    PurchaseOrderAccepted: ({ stream }) =>
      book.change(idOf(stream), (age) => ({ ...age, heldUntil: FOR_EVER })),
    PaymentAuthorized: ({ stream }) => book.change(idOf(stream), (age) => ({ ...age, attemptedAt: null })),
    PaymentDeclined: failed,
    PaymentNotAttempted: failed,
    InvoiceVoided: isOver,
    InvoiceSuperseded: (event) => {
      const { supersededBy } = event.data;
      leftUnpaid(idOf(event.stream), event.recordedAt, derivedId('invoice', supersededBy));
      isOver(event);
    },
    InvoiceCancelled: (event) => {
      const { cancelledBy, cancelledAt } = event.data;
      if (cancelledBy === undefined) leftUnpaid(idOf(event.stream), cancelledAt, null);
      isOver(event);
    },
    InvoiceDeleted: isOver,
    PaymentCaptured: isOver,
    SaleConfirmed: isOver,
  };
};

/**
 * Unpaid invoices, folded from the log like reference state, with a snapshot, so that neither the expiry job nor the
 * limit per address ever scans the log. Bounded by expiry and by that limit.
 */
export const createUnpaidInvoices = (): UnpaidInvoices => {
  const book = createBook();
  const { entries, minutes, places, held, rests, lines, isPlacing, add, standsAt, clear } = book;
  return {
    name: 'unpaid-invoices',
    isBookkeeping: true,
    version: 5,
    on: foldOf(book),
    takeExpired: (now, limits, max) => {
      minutes.use(limits);
      rests.wake(now);
      return minutes.take(now, max);
    },
    putBack: (invoiceId) => {
      const entry = entries.get(invoiceId);
      if (entry) minutes.enter(entry);
    },
    expect: (invoiceId, { address, heldAt }, goods) => {
      const forget = places.expect(invoiceId, address, goods);
      const forgetHeld = heldAt === undefined ? null : held.expect(invoiceId, heldAt, goods);
      return () => {
        forget();
        forgetHeld?.();
      };
    },
    countBefore: (address, invoiceId, replacedInvoiceId) =>
      places.standing(address) -
      standsAt(address, replacedInvoiceId) -
      standsAt(address, invoiceId) +
      places.expectedBefore(invoiceId, address),
    heldBefore: (address, invoiceId, replacedInvoiceId) => {
      const all = [...places.invoicesAt(address), ...held.invoicesAt(address)];
      const others = all.filter((id) => id !== invoiceId && id !== replacedInvoiceId);
      const holds = others.map((id) => entries.get(id)?.holds ?? []);
      const coming = [places, held].flatMap((counted) => counted.goodsBefore(invoiceId, address));
      const replaced = replacedInvoiceId === null ? undefined : entries.get(replacedInvoiceId);
      return heldElsewhere(holds, coming, {
        restsUntil: rests.until(address),
        replacedEndsAt: replaced?.endsAt ?? null,
      });
    },
    isWithinLimit: (invoiceId) => entries.get(invoiceId)?.isWithinLimit ?? null,
    count: () => entries.size,
    countOf: (customerId) =>
      entries.values().reduce((sum, entry) => sum + (entry.customerId === customerId ? 1 : 0), 0),
    entries: lines,
    restore: (kept) => {
      for (const [key, line] of kept as readonly (readonly [string, string])[]) {
        if (key.startsWith(PLACING)) isPlacing(key.slice(PLACING.length), line);
        else if (isRest(key)) rests.restore(key, line);
        else add(entryOf(key, line));
      }
    },
    clear,
  };
};
