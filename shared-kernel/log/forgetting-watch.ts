import type { CustomerEvent } from '#events/customer.events.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import type { EventOfType } from '#kernel/event.ts';

/** `isLast`: nothing more is recorded of that forgetting. */
type OnForgotten = (forgotten: { readonly isLast: boolean }) => void;

/** Tells what is kept in memory that keys have been destroyed, in whichever process that was. */
export interface ForgettingWatch {
  /** Follows the log with reference state; nothing is kept. */
  readonly part: ReferencePart;
  onForgotten(listener: OnForgotten): void;
}

export const createForgettingWatch = (): ForgettingWatch => {
  const listeners: OnForgotten[] = [];
  const on: Fold<EventOfType<CustomerEvent, 'CustomerForgotten'>> = {
    CustomerForgotten: ({ data }) => {
      for (const listener of listeners) listener(data);
    },
  };
  return {
    part: {
      name: 'forgetting',
      version: 1,
      isBookkeeping: true,
      on,
      entries: new ChunkedEntries<never>(),
      restore: () => undefined,
      clear: () => undefined,
    },
    onForgotten: (listener) => void listeners.push(listener),
  };
};
