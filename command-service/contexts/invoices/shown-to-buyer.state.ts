import type { Part } from './invoice-part.state.ts';

interface BuyersNote {
  /** ISO instant. */
  readonly date: string;
  readonly text: string;
}

/** For the buyer's confirmation page (docs/rules/checkout.md#confirmation). */
export interface ShownToBuyer {
  /** ISO instant of the sale or of the promise to pay; null before. */
  readonly boughtAt: string | null;
  /** The latest notes by staff for the buyer. */
  readonly buyersNotes: readonly BuyersNote[];
  /** Ids of the latest notes, to recognise a repeat. */
  readonly noteIds: readonly string[];
}

/** Notes remembered; a repeat arrives before that many later ones. */
const NOTES_REMEMBERED = 50;

/** A note has at most 5,000 characters; no page needs more notes than this. */
const NOTES_SHOWN = 200;

export const nothingShown: ShownToBuyer = { boughtAt: null, buyersNotes: [], noteIds: [] };

export const onShownEvents = {
  // Erased notes are no longer shown.
  InvoiceNoted: ({ noteIds, buyersNotes }, { data }) => {
    const { noteId, text, isVisibleToCustomer, notedAt: date } = data;
    const isShown = isVisibleToCustomer && text !== null;
    return {
      noteIds: [...noteIds, noteId].slice(-NOTES_REMEMBERED),
      buyersNotes: isShown ? [...buyersNotes, { date, text }].slice(-NOTES_SHOWN) : buyersNotes,
    };
  },
  PaymentPromised: (_, { data: { promisedAt: boughtAt } }) => ({ boughtAt }),
  SaleConfirmed: (_, { data: { confirmedAt: boughtAt } }) => ({ boughtAt }),
} satisfies Part<ShownToBuyer>;
