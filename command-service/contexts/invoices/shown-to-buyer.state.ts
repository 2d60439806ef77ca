import type { Part } from './invoice-part.state.ts';

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

/** Notes that an invoice remembers: fewer than this many later ones come before a repeat. */
const NOTES_REMEMBERED = 50;

/** A note has 5,000 characters at most; a page with more notes than this is never read. */
const NOTES_SHOWN = 200;

export const nothingShown: ShownToBuyer = { boughtAt: null, buyersNotes: [], noteIds: [] };

export const onShownEvents = {
  // What is forgotten is shown no more.
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
