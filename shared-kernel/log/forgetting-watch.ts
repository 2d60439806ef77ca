import type { CustomerEvent } from '#events/customer.events.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import type { EventOfType } from '#kernel/event.ts';

/** `isLast`: nothing more is recorded of that forgetting. */
type OnForgotten = (forgotten: { readonly isLast: boolean }) => void;

/** Tells what is kept in memory that keys have been destroyed, in whichever process that was. */
export interface ForgettingWatch {
  /** Follows the log with reference state. */
  readonly part: ReferencePart;
  onForgotten(listener: OnForgotten): void;
  /** Where in the log the last forgetting has ended, as far as it is read; null: no one has been forgotten. */
  last(): number | null;
}

const LAST = 'last';

export const createForgettingWatch = (): ForgettingWatch => {
  const listeners: OnForgotten[] = [];
  const entries = new ChunkedEntries<number>();
  const on: Fold<EventOfType<CustomerEvent, 'CustomerForgotten'>> = {
    CustomerForgotten: ({ position, data }) => {
      if (data.isLast) entries.set(LAST, position);
      for (const listener of listeners) listener(data);
    },
  };
  return {
    part: {
      name: 'forgetting',
      version: 2,
      isBookkeeping: true,
      on,
      entries,
      restore: (kept) => kept.forEach(([key, position]) => entries.set(key, position as number)),
      clear: () => undefined,
    },
    onForgotten: (listener) => void listeners.push(listener),
    last: () => entries.get(LAST) ?? null,
  };
};
