/** The link that a record has given out last. */
export interface KnownLink {
  readonly number: number;
  /** ISO instants. */
  readonly expiresAt: string;
  /** Null: it was never opened. */
  readonly usedAt: string | null;
}

/** What a record says of who may come back. */
export interface RecoverableRecord {
  readonly status: string;
  /** Null: cleared, merged into another basket, or forgotten. */
  readonly basketId: string | null;
  readonly link: KnownLink | null;
  /** The basket that the shopper had before they opened the link; null: none. */
  readonly replacedBasketId: string | null;
}

/** What opening a link leads to: the basket, for the first time or again; null leads nowhere. */
export interface Opening {
  readonly basketId: string;
  readonly linkNumber: number;
  readonly isFirst: boolean;
}

const leadsBack: ReadonlySet<string> = new Set(['Active', 'Abandoned', 'Recovered']);

/**
 * A link is good once. Whoever holds the basket that it has restored may open it again, and so may the holder of the
 * basket that was left for it: their answer was lost (docs/rules/abandoned-checkouts.md#coming-back).
 */
export const openLink = (
  { status, basketId, link, replacedBasketId }: RecoverableRecord,
  holds: (basketId: string) => boolean,
  now: number,
): Opening | null => {
  if (!leadsBack.has(status) || basketId === null || link === null) return null;
  if (now >= Date.parse(link.expiresAt)) return null;
  const isFirst = link.usedAt === null;
  const isTheirs = holds(basketId) || (replacedBasketId !== null && holds(replacedBasketId));
  return isFirst || isTheirs ? { basketId, linkNumber: link.number, isFirst } : null;
};
