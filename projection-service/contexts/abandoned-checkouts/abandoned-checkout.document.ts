import type { AbandonedFigures, AbandonedLine } from '#events/abandoned-checkout.events.ts';
import type { Document } from '#kernel/projection.ts';
import type { CheckoutStatus } from '#values/abandoned-checkout.ts';
import type { Address } from '#values/address.ts';
import type { Minor } from '#values/money.ts';

/** What is known of a checkout; instants are ISO. */
export interface CheckoutFacts extends Document {
  /** Null once the basket is cleared or merged into another. */
  readonly basketId: string | null;
  readonly customerId: string | null;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly status: CheckoutStatus;
  readonly dateCreated: string;
  readonly lastActivityAt: string;
  /** Of the last time, while it stands. */
  readonly abandonedAt: string | null;
  /** Of the first time. */
  readonly recoveredAt: string | null;
  readonly convertedAt: string | null;
  readonly expiredAt: string | null;
  readonly invoiceId: string | null;
  /** The link in force. */
  readonly link: { readonly number: number; readonly expiresAt: string } | null;
  readonly mailsSent: number;
  readonly lastMailAt: string | null;
  /** In the store's currency. */
  readonly total: Minor;
  /** Products, not pieces. */
  readonly lineCount: number;
  /** What the shopper was shown last. */
  readonly displayCurrency: string;
  /** As they were when it was abandoned or ordered; null once the basket has changed since. */
  readonly figures: AbandonedFigures | null;
  /** What was in it when it was last abandoned, and the currency of its amounts. */
  readonly left: { readonly currency: string; readonly lines: readonly AbandonedLine[] } | null;
}

/** A checkout as the list has it: with what it is sorted by and searched in. */
export interface AbandonedCheckoutDocument extends CheckoutFacts {
  readonly customerName: string | null;
  /** When it was abandoned, else when it was opened. */
  readonly sortedAt: string;
  readonly emailKey: string;
  readonly searchText: string;
}

const nameOf = ({ billingAddress, shippingAddress }: CheckoutFacts): string | null =>
  billingAddress?.name ?? shippingAddress?.name ?? null;

export const listed = (facts: CheckoutFacts): AbandonedCheckoutDocument => {
  const customerName = nameOf(facts);
  const email = facts.email ?? '';
  return {
    ...facts,
    customerName,
    sortedAt: facts.abandonedAt ?? facts.dateCreated,
    emailKey: email.toLowerCase(),
    searchText: `${email} ${customerName ?? ''}`.toLowerCase().trim(),
  };
};
