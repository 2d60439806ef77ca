import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';

type Attempted = EventOfType<InvoiceEvent, 'PaymentAttempted'>['data'];

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  readonly attemptId: string;
  readonly provider: string;
  readonly method: string;
  readonly token: string | null;
  readonly amount: number;
  readonly currency: string;
  /** Who may ask the provider first; null once somebody may have asked who is not, or asked again. */
  readonly firstAsk: string | null;
  /** ISO instant; null in logs that did not say so yet. */
  readonly attemptedAt: string | null;
  /** The saved method that is charged; null where a token is. */
  readonly saved: NonNullable<Attempted['saved']> | null;
  /** For whom the provider is to keep the method. */
  readonly saveFor: Attempted['saveFor'] | null;
}

/** An attempt that took no money: the provider said no, or could not be reached. */
export interface FailedAttempt {
  readonly attemptId: string;
  readonly kind: 'declined' | 'notAttempted';
  readonly message: string;
}

/** An attempt as its event tells it. */
export const attemptOf = (data: Attempted): OpenAttempt => {
  const { attemptId, provider, method, token, amount, currency } = data;
  const { askId: firstAsk = null, attemptedAt = null, saved = null, saveFor = null } = data;
  return { attemptId, provider, method, token, amount, currency, firstAsk, attemptedAt, saved, saveFor };
};
