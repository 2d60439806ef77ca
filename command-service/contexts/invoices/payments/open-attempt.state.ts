import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';

type Attempted = EventOfType<InvoiceEvent, 'PaymentAttempted'>['data'];

/** For whom a method is kept that is paid with. */
export interface SaveFor {
  readonly customerId: string;
  readonly setAsDefault: boolean;
  /** From where they agreed to it. */
  readonly ipAddress: string | null;
}

/** As an event tells it: the address is the payer's own. */
export const saveForIn = ({ saveFor, payer }: Pick<Attempted, 'saveFor' | 'payer'>): SaveFor | null =>
  saveFor ? { ...saveFor, ipAddress: payer?.ipAddress ?? null } : null;

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  readonly attemptId: string;
  readonly provider: string;
  readonly method: string;
  readonly token: string | null;
  readonly amount: number;
  readonly currency: string;
  /** Who may ask the provider first; null once another caller may have asked, or asked again. */
  readonly firstAsk: string | null;
  /** ISO instant; null in logs that did not say so yet. */
  readonly attemptedAt: string | null;
  /** The saved method that is charged; null where a token is. */
  readonly saved: NonNullable<Attempted['saved']> | null;
  /** For whom the provider is to keep the method. */
  readonly saveFor: SaveFor | null;
  /** The payer; null for none, once forgotten, and in older logs. */
  readonly payer: Attempted['payer'] | null;
  /** Where the shop was then; null in logs that did not say so yet. */
  readonly ownAddress: string | null;
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
  const { askId: firstAsk = null, attemptedAt = null, saved = null, payer = null, ownAddress = null } = data;
  const charged = { attemptId, provider, method, token, amount, currency, firstAsk, attemptedAt, saved };
  return { ...charged, saveFor: saveForIn(data), payer, ownAddress };
};
