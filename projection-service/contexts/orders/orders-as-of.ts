import type { InvoiceNumberEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { instantOf } from '#log/log-span.ts';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { inParallel } from '#runtime/work-off.ts';
import { INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';
import { applyEvents, eventTypesOf, uncounted, type HeldDocuments } from '../../engine/apply-batch.ts';
import type { Place } from '../../engine/exports/export.ts';
import { firstRevision } from '#log/first-revision.ts';
import type { Histories } from '../../engine/lapsing.ts';
import { orderListProjection } from './order-list.projection.ts';
import type { OrderDocument } from './order.document.ts';

// Orders as they were, invoice by invoice: the list's own functions over what each stream held then.

/** Invoices that are folded together: a moment's work. */
const PAGE = 200;
/** Streams that are read side by side. */
const AT_ONCE = 25;

export interface OrdersAsOf {
  /** Of the last event that counts. */
  readonly position: number;
  /** Days of UTC between which the invoices were made, the second one not among them. */
  readonly from: string;
  readonly before: string;
  /** A revision of the invoice numbers; null at the beginning. */
  readonly after: Place | null;
}

export interface OrdersThen {
  readonly documents: readonly OrderDocument[];
  /** Null at the end. */
  readonly next: Place | null;
}

const numbers = streamOf.invoiceNumbers(INVOICE_NUMBERS);

/** No number is taken before its invoice was made, and no later number is taken earlier. */
const isFrom = (from: string) => {
  const first = Date.parse(from);
  return (event: StoredEvent): boolean => (instantOf(event) ?? first) >= first;
};

/** An order that a crash interrupts takes its number once the shop is back: after a month at worst. */
const LONGEST_INTERRUPTION_MILLISECONDS = 31 * 24 * 3_600_000;

/** An entry that does not say when is taken: decoding it fails, and no export ends as if it were whole. */
const isBeyond = (before: string) => {
  const end = Date.parse(before) + LONGEST_INTERRUPTION_MILLISECONDS;
  return (event: StoredEvent): boolean => (instantOf(event) ?? -Infinity) >= end;
};

const listTypes = eventTypesOf(orderListProjection);

/** What the stream of an invoice held then, as far as the list takes it. */
const historyOf = async (
  store: Pick<EventStore, 'readStream'>,
  invoiceId: string,
  position: number,
): Promise<readonly StoredEvent[]> => {
  const history: StoredEvent[] = [];
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(streamOf.invoice(invoiceId), { fromRevision });
    history.push(...page.filter((event) => event.position <= position && listTypes.has(event.type)));
    const last = page.at(-1);
    if (page.length < MAX_PAGE || (last && last.position > position)) return history;
  }
};

const historiesOf = async (
  store: Pick<EventStore, 'readStream'>,
  invoiceIds: readonly string[],
  position: number,
): Promise<readonly StoredEvent[]> => {
  const histories = new Map<string, readonly StoredEvent[]>();
  await inParallel(invoiceIds, AT_ONCE, async (id) => {
    histories.set(id, await historyOf(store, id, position));
  });
  return invoiceIds.flatMap((id) => histories.get(id) ?? []);
};

const orderList = uncounted(orderListProjection);

/** The next invoices in the order of their numbers, those that have been deleted since among them. Errors: as below. */
export const ordersAsOf = async (
  { store, codec }: Histories,
  { position, from, before, after }: OrdersAsOf,
): Promise<OrdersThen> => {
  const fromRevision = after ? Number(after[0]) : await firstRevision(store, numbers, isFrom(from));
  const page = await store.readStream(numbers, { fromRevision, limit: PAGE });
  const isLater = isBeyond(before);
  const taken = page.filter((entry) => entry.position <= position && !isLater(entry));
  const entries = (await codec.decodeAll(taken)) as readonly Recorded<InvoiceNumberEvent>[];
  const ids = entries.map(({ data }) => data.invoiceId);
  const documents: HeldDocuments = new Map();
  const events = await codec.decodeAll(await historiesOf(store, ids, position));
  const poison = applyEvents(orderList, events, documents, new Set());
  if (poison) throw poison;
  return {
    documents: ids.flatMap((id) => (documents.get(id)?.document as OrderDocument | null | undefined) ?? []),
    next: taken.length < PAGE ? null : [String(fromRevision + PAGE), ''],
  };
};
