import { derivedId } from '#kernel/ids.ts';

/** Baskets of which much is heard at the moment: to derive an id takes longer than all else that a view does then. */
const recent = new Map<string, string>();
const MOST_RECENT = 1000;

/** One record per basket (docs/rules/abandoned-checkouts.md#record). */
export const abandonedCheckoutId = (basketId: string): string => {
  const known = recent.get(basketId);
  if (known !== undefined) return known;
  const id = derivedId('abandoned checkout', basketId);
  if (recent.size >= MOST_RECENT) recent.clear();
  recent.set(basketId, id);
  return id;
};

export const checkoutStatuses = ['Active', 'Abandoned', 'Recovered', 'Converted', 'Expired'] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

export const recoveryMailKinds = ['first', 'reminder', 'final'] as const;
export type RecoveryMailKind = (typeof recoveryMailKinds)[number];

/** The place of a mail in its sequence of three, after `sent` others; what staff have sent beyond is a final one. */
export const nextRecoveryMail = (
  sent: number,
): { readonly sequence: 1 | 2 | 3; readonly kind: RecoveryMailKind } => {
  if (sent === 0) return { sequence: 1, kind: 'first' };
  return sent === 1 ? { sequence: 2, kind: 'reminder' } : { sequence: 3, kind: 'final' };
};
