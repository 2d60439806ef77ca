import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { PaymentPages } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';

type Attempted = EventOfType<InvoiceEvent, 'PaymentAttempted'>['data'];

/** For whom the payment method is saved. */
export interface SaveFor {
  readonly customerId: string;
  readonly setAsDefault: boolean;
  /** The address from which they agreed. */
  readonly ipAddress: string | null;
}

/** Read from an event: the address is the payer's. */
export const saveForIn = ({ saveFor, payer }: Pick<Attempted, 'saveFor' | 'payer'>): SaveFor | null =>
  saveFor ? { ...saveFor, ipAddress: payer?.ipAddress ?? null } : null;

export interface OpenAttempt {
  readonly attemptId: string;
  readonly provider: string;
  readonly method: string;
  readonly token: string | null;
  readonly amount: number;
  readonly currency: string;
  /** Who may ask the provider first; null once another caller may have asked, or asked again. */
  readonly firstAsk: string | null;
  /** ISO instant; null in older logs. */
  readonly attemptedAt: string | null;
  /** The saved method that is charged; null for a token. */
  readonly saved: NonNullable<Attempted['saved']> | null;
  /** For whom the provider is to save the method. */
  readonly saveFor: SaveFor | null;
  /** Null for none, once erased, and in older logs. */
  readonly payer: Attempted['payer'] | null;
  /** The shop's own address at the time; null in older logs. */
  readonly ownAddress: string | null;
  /** Where the shopper goes on; null: where the invoice's payments do. */
  readonly pages: PaymentPages | null;
}

/** An attempt that took no money: declined, or the provider could not be reached. */
export interface FailedAttempt {
  readonly attemptId: string;
  readonly kind: 'declined' | 'notAttempted';
  /** As the provider calls the reason; null: it was not asked. */
  readonly code: string | null;
  readonly message: string;
}

export const attemptOf = (data: Attempted): OpenAttempt => {
  const { attemptId, provider, method, token, amount, currency } = data;
  const { askId: firstAsk = null, attemptedAt = null, saved = null, payer = null } = data;
  const { ownAddress = null, pages = null } = data;
  const charged = { attemptId, provider, method, token, amount, currency, firstAsk, attemptedAt, saved };
  return { ...charged, saveFor: saveForIn(data), payer, ownAddress, pages };
};
