import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SubjectKeys } from '#log/subject-keys.ts';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';

/** Streams with events about a customer. */
export interface PersonalStreams {
  readonly basketIds: readonly string[];
  readonly invoiceIds: readonly string[];
}

interface Sources {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly keys: Pick<SubjectKeys, 'namedBy'>;
}

/** What one part names at most, give or take the invoices of its last basket. */
const NAMED_TOGETHER = 250;
/** Streams that are read side by side. */
const AT_ONCE = 25;

const invoiceIn = ({ data }: StoredEvent): string | null =>
  (JSON.parse(data) as { readonly invoiceId?: string }).invoiceId ?? null;

const customerOfOrder = ({ data }: StoredEvent): string | null =>
  (JSON.parse(data) as { readonly content?: { readonly customerId?: string } }).content?.customerId ?? null;

/** A stream, page by page. */
export async function* pagesOf(
  { store }: Pick<Sources, 'store'>,
  stream: string,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision });
    if (page.length > 0) yield page;
    if (page.length < MAX_PAGE) return;
  }
}

/** The basket of a subject, with the invoices that were made of it for the customer; null where it is no basket. */
const basketOf = async (
  sources: Sources,
  subject: string,
  customerId: string,
): Promise<{ readonly basketId: string; readonly invoiceIds: readonly string[] } | null> => {
  const invoiceIds: string[] = [];
  let isBasket = false;
  for await (const page of pagesOf(sources, streamOf.basket(subject))) {
    isBasket = true;
    for (const event of page) {
      if (event.type !== 'OrderPlacementStarted') continue;
      // Without a customer it is sealed under the key of its basket.
      if ((customerOfOrder(event) ?? subject) !== customerId) continue;
      invoiceIds.push(invoiceIn(event) ?? subject);
    }
  }
  return isBasket ? { basketId: subject, invoiceIds } : null;
};

/** The baskets that name a customer, or once did, each with the invoices that were made of it for them. */
export async function* basketsOf(sources: Sources, customerId: string) {
  let after: string | null = '';
  // A guest of an older release is known by their basket alone.
  let ids: readonly string[] = [customerId];
  while (ids.length > 0 || after !== null) {
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE);
      for (const basket of await Promise.all(some.map((id) => basketOf(sources, id, customerId))))
        if (basket) yield basket;
      // An embedded log answers at once: thousands of reads in a row would hold the event loop.
      await nextTurn();
    }
    if (after === null) return;
    const page = await sources.keys.namedBy(customerId, after);
    ({ ids, next: after } = page);
  }
}

/** Sales that no basket led to, too. */
async function* invoicesOf(sources: Sources, customerId: string) {
  for await (const page of pagesOf(sources, streamOf.customer(customerId)))
    for (const event of page) {
      const invoiceId = event.type.startsWith('Customer') ? invoiceIn(event) : null;
      if (invoiceId !== null) yield invoiceId;
    }
}

/**
 * The baskets and invoices of a customer, part by part, each once. The keys name the baskets, a basket the invoices
 * made of it, and the customer's own stream what they bought: no read model is asked, and the log is not scanned.
 * Errors: `EngineUnavailable`.
 */
export async function* personalStreams(
  sources: Sources,
  customerId: string,
): AsyncGenerator<PersonalStreams> {
  const seen = new Set<string>();
  const isNew = (id: string): boolean => seen.size < seen.add(id).size;
  let basketIds: string[] = [];
  let invoiceIds: string[] = [];
  const isFull = (): boolean => basketIds.length + invoiceIds.length >= NAMED_TOGETHER;
  const taken = (): PersonalStreams => {
    const part = { basketIds, invoiceIds };
    [basketIds, invoiceIds] = [[], []];
    return part;
  };
  for await (const { basketId, invoiceIds: made } of basketsOf(sources, customerId)) {
    if (isNew(basketId)) basketIds.push(basketId);
    invoiceIds.push(...made.filter(isNew));
    if (isFull()) yield taken();
  }
  for await (const invoiceId of invoicesOf(sources, customerId)) {
    if (isNew(invoiceId)) invoiceIds.push(invoiceId);
    if (isFull()) yield taken();
  }
  if (basketIds.length + invoiceIds.length > 0) yield taken();
}
