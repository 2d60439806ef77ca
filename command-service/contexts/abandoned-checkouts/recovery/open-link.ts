import { isRecord, type AbandonedCheckoutState } from '../abandoned-checkout.state.ts';

/** What opening a link leads to: the basket, for the first time or again. */
export interface Opening {
  readonly basketId: string;
  readonly linkNumber: number;
  readonly isFirst: boolean;
}

const leadsBack: ReadonlySet<AbandonedCheckoutState['status']> = new Set([
  'active',
  'abandoned',
  'recovered',
]);

/**
 * A link is good once; null where it leads nowhere. Whoever holds the basket that it has restored may open it again,
 * and so may the holder of the basket that was left for it: their answer was lost
 * (docs/rules/abandoned-checkouts.md#coming-back).
 */
export const openLink = (
  record: AbandonedCheckoutState,
  holds: (basketId: string) => boolean,
  now: number,
): Opening | null => {
  if (!isRecord(record) || !leadsBack.has(record.status) || record.isBasketGone) return null;
  const { basketId, replacedBasketId, link } = record;
  if (now >= Date.parse(link.expiresAt)) return null;
  const isFirst = link.usedAt === null;
  const isTheirs = holds(basketId) || (replacedBasketId !== null && holds(replacedBasketId));
  return isFirst || isTheirs ? { basketId, linkNumber: link.number, isFirst } : null;
};
