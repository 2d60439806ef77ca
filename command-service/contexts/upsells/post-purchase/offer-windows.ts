import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { createSchedule } from '#reference/schedule.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { idOf } from '#values/stream-name.ts';

interface Window {
  /** In milliseconds. */
  readonly endsAt: number;
  /** When another driver takes over an add under way; null if none. */
  readonly addDueAt: number | null;
}

/** Open offers and adds under way; each leaves when it is over. */
export interface OfferWindows extends ReferencePart {
  /** Invoices that are due, in no order. Costs as much as there are. */
  due(now: number): readonly string[];
  count(): number;
}

const A_MINUTE = 60_000;

export const createOfferWindows = (): OfferWindows => {
  const windows = new Map<string, Window>();
  const entries = new ChunkedEntries<Window>();
  const schedule = createSchedule();
  const put = (invoiceId: string, window: Window): void => {
    windows.set(invoiceId, window);
    entries.set(invoiceId, window);
    schedule.set(invoiceId, window.addDueAt ?? window.endsAt);
  };
  const remove = ({ stream }: Pick<Recorded, 'stream'>): void => {
    const invoiceId = idOf(stream);
    if (!windows.delete(invoiceId)) return;
    entries.delete(invoiceId);
    schedule.remove(invoiceId);
  };
  const change = ({ stream }: Pick<Recorded, 'stream'>, addDueAt: number | null): void => {
    const window = windows.get(idOf(stream));
    if (window) put(idOf(stream), { ...window, addDueAt });
  };
  const on: Partial<Fold<InvoiceEvent>> = {
    PostPurchaseOpened: ({ stream, data }) =>
      put(idOf(stream), { endsAt: Date.parse(data.endsAt), addDueAt: null }),
    PostPurchaseAddBegun: (event) => change(event, Date.parse(event.data.begunAt) + A_MINUTE),
    PostPurchaseAddRefused: (event) => change(event, null),
    PostPurchaseAddSettled: remove,
    PostPurchaseEnded: remove,
    // An invoice is never cancelled during an add.
    InvoiceCancelled: remove,
    InvoiceDeleted: remove,
  };
  return {
    name: 'offer-windows',
    isBookkeeping: true,
    version: 1,
    on,
    due: schedule.due,
    count: () => windows.size,
    entries,
    restore: (kept) => {
      for (const [invoiceId, window] of kept as readonly (readonly [string, Window])[])
        put(invoiceId, window);
    },
    clear: () => {
      windows.clear();
      schedule.clear();
    },
  };
};
