import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { UnitsSoldReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

/**
 * Units sold by product, of all its variants: what a sale held when it was confirmed. Later edits, returns and
 * cancellations change nothing (docs/rules/upsells.md#order).
 */
export const createUnitsSoldReference = (): UnitsSoldReference & ReferencePart => {
  const entries = new ChunkedEntries<number>();
  const listeners: ((rootId: string) => void)[] = [];

  const on: Fold<EventOfType<InvoiceEvent, 'SaleConfirmed'>> = {
    SaleConfirmed: ({ data: { content } }) => {
      for (const { lines } of content.orders)
        for (const { productRootId, quantity } of lines) {
          if (productRootId === null) continue;
          entries.set(productRootId, (entries.get(productRootId) ?? 0) + quantity);
          for (const listener of listeners) listener(productRootId);
        }
    },
  };

  return {
    of: (rootId) => entries.get(rootId) ?? 0,
    watch: (listener) => void listeners.push(listener),
    name: 'unitsSold',
    version: 1,
    on,
    isBookkeeping: true,
    entries,
    restore: (kept) => {
      for (const [rootId, units] of kept) entries.set(rootId, units as number);
    },
    clear: () => undefined,
  };
};
