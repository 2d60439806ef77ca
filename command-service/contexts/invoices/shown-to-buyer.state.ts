import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';

interface BuyersNote {
  /** ISO instant. */
  readonly date: string;
  readonly text: string;
}

/** What an invoice keeps for the page of its buyer (docs/rules/checkout.md#confirmation). */
export interface ShownToBuyer {
  /** When it was sold, or promised to be paid until then; ISO instant, null before. */
  readonly boughtAt: string | null;
  /** Those that staff have written for the buyer, the last ones. */
  readonly buyersNotes: readonly BuyersNote[];
  /** The ids of notes that a repeat may bring again. */
  readonly noteIds: readonly string[];
}

/** Of the notes of an invoice: so many later ones do not come before a repeat. */
const NOTES_REMEMBERED = 50;

/** A note has 5,000 characters at most; a page with more of them is none that anybody reads. */
const NOTES_SHOWN = 200;

export const nothingShown: ShownToBuyer = { boughtAt: null, buyersNotes: [], noteIds: [] };

/** What is forgotten is shown no more. */
export const noted = <Invoice extends ShownToBuyer>(
  invoice: Invoice,
  { data }: EventOfType<InvoiceEvent, 'InvoiceNoted'>,
): Invoice => {
  const { noteId, text, isVisibleToCustomer, notedAt: date } = data;
  const isShown = isVisibleToCustomer && text !== null;
  return {
    ...invoice,
    noteIds: [...invoice.noteIds, noteId].slice(-NOTES_REMEMBERED),
    buyersNotes: isShown ? [...invoice.buyersNotes, { date, text }].slice(-NOTES_SHOWN) : invoice.buyersNotes,
  };
};
