import { invoiceNumberEvents, type InvoiceNumberEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';

/** Takes the next number for an invoice. */
export interface TakeInvoiceNumber {
  readonly type: 'TakeInvoiceNumber';
  readonly invoiceId: string;
  /** The invoice has no entry up to this revision. */
  readonly searchedUpTo: number;
}

/** The latest entries of the stream, to recognise a repeat that comes soon. */
export interface InvoiceNumbers {
  /** The number of earlier entries. */
  readonly forgotten: number;
  /** Invoice ids in the order of their numbers. Grows in place. */
  readonly recent: string[];
}

/** The invoice's entry may be between what the caller has searched and what is remembered. */
export class NotSearchedFarEnough extends Error {
  override readonly name = 'NotSearchedFarEnough';
}

const REMEMBERED = 1000;

/**
 * The number that an invoice took recently; null if not remembered. Only entries after `searchedUpTo` are compared:
 * usually none, while comparing all would be most of the work.
 */
export const numberOf = (
  { forgotten, recent }: InvoiceNumbers,
  invoiceId: string,
  searchedUpTo = -1,
): number | null => {
  const index = recent.indexOf(invoiceId, Math.max(0, searchedUpTo + 1 - forgotten));
  return index < 0 ? null : forgotten + index + 1;
};

/**
 * Gapless numbers: an entry's number is 1 + its revision. The state holds the latest entries only, so that it does not
 * grow with the orders; a later repeat searches from the revision that its placement recorded
 * (docs/architecture.md#invoice-numbers). Two processes that drive one placement take one number.
 */
export const invoiceNumberDecider: Decider<InvoiceNumbers, TakeInvoiceNumber, InvoiceNumberEvent> = {
  category: 'invoiceNumbers',
  initial: () => ({ forgotten: 0, recent: [] }),
  decide: (state, { invoiceId, searchedUpTo }) => {
    if (numberOf(state, invoiceId, searchedUpTo) !== null) return [];
    if (searchedUpTo < state.forgotten - 1)
      throw new NotSearchedFarEnough(
        `entries from ${searchedUpTo + 1} to ${state.forgotten - 1} are unknown`,
      );
    return [invoiceNumberEvents.create.InvoiceNumberTaken({ invoiceId })];
  },
  on: {
    InvoiceNumberTaken: ({ forgotten, recent }, { data: { invoiceId } }) => {
      recent.push(invoiceId);
      if (recent.length < 2 * REMEMBERED) return { forgotten, recent };
      return { forgotten: forgotten + REMEMBERED, recent: recent.slice(REMEMBERED) };
    },
  },
  snapshot: { version: 1, every: 500 },
  remembersCommands: false,
};
