import type { AbandonedFigures, AbandonedLine } from '#events/abandoned-checkout.events.ts';
import type { Address } from '#values/address.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** What the settings of the store say of abandoned checkouts. */
export interface RecoveryLimits {
  readonly thresholdHours: number;
  readonly expiryDays: number;
  /** Before the first mail, counted from the abandonment, and before the others, counted from the mail before. */
  readonly mailDelaysHours: readonly [number, number, number];
  readonly maxMails: number;
}

export const recoveryLimits = (settings: StoreSettings): RecoveryLimits => ({
  thresholdHours: settings['abandonedCheckout.abandonmentThresholdHours'],
  expiryDays: Math.max(1, settings['abandonedCheckout.recoveryExpiryDays']),
  mailDelaysHours: [
    settings['abandonedCheckout.firstEmailDelayHours'],
    settings['abandonedCheckout.reminderEmailDelayHours'],
    settings['abandonedCheckout.finalEmailDelayHours'],
  ],
  maxMails: settings['abandonedCheckout.maxRecoveryEmails'],
});

/** Whose a checkout is, and what it comes to: at the moment that is told of. */
export interface CheckoutWorth {
  readonly customerId: string | null;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly figures: AbandonedFigures;
}

/** Who left a basket behind, and what is in it. */
export interface LeftBehind extends CheckoutWorth {
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly lines: readonly AbandonedLine[];
}

/**
 * A basket as its own stream, and that of its invoice, say that it stands. `busy`: it is being bought, or money for it
 * is on its way; `closed`: no cookie opens it any more; `forgotten`: nor is anything known of who left it.
 */
export type BasketStanding =
  | { readonly kind: 'open'; readonly left: LeftBehind }
  | { readonly kind: 'bought'; readonly invoiceId: string; readonly sold: CheckoutWorth }
  | { readonly kind: 'gone' | 'busy' | 'closed' | 'forgotten' };

/** A basket, and when its shopper was last active in it. */
export interface SeenBasket {
  readonly basketId: string;
  readonly openedAt: string;
  readonly openedDay: string;
  readonly lastActivityAt: string;
  /** Revisions of the basket's stream: of the last activity, and of the last event. */
  readonly activityRevision: number;
  readonly revision: number;
  readonly standing: BasketStanding;
}

/** Records whatever follows from the basket and from the time that has passed. Nothing does: nothing is recorded. */
export interface AdvanceCheckout {
  readonly type: 'AdvanceCheckout';
  readonly seen: SeenBasket;
  readonly limits: RecoveryLimits;
  readonly now: string;
}

/** Has the next mail sent, due or not. */
export interface ResendRecoveryMail {
  readonly type: 'ResendRecoveryMail';
  readonly expiryDays: number;
  readonly now: string;
}

export interface RegenerateRecoveryLink {
  readonly type: 'RegenerateRecoveryLink';
  readonly expiryDays: number;
  readonly now: string;
}

export interface RecoverCheckout {
  readonly type: 'RecoverCheckout';
  readonly linkNumber: number;
  /** The visitor's own basket, which is let go for this one. */
  readonly replacedBasketId: string | null;
  /** The basket that they come back to. */
  readonly worth: CheckoutWorth;
  readonly now: string;
}

/** Who left it is forgotten: no one comes back to it. */
export interface ForgetCheckout {
  readonly type: 'ForgetCheckout';
  readonly now: string;
}

export type AbandonedCheckoutCommand =
  | AdvanceCheckout
  | ResendRecoveryMail
  | RegenerateRecoveryLink
  | RecoverCheckout
  | ForgetCheckout;

/** `unknown`: no checkout is in progress there. `busy`: it is being bought or used at this moment. */
export type Reviewed = 'current' | 'busy' | 'unknown';

/** What other contexts may ask of abandoned checkouts. */
export interface AbandonedCheckoutsApi {
  /**
   * Brings the record of a basket up to date with the basket: to be called before a command that depends on it. Errors:
   * `EngineUnavailable`.
   */
  review(basketId: string): Promise<Reviewed>;
  /**
   * The basket of a record, abandoned before or not; null: there is no such record. Errors: `EngineUnavailable`.
   */
  basketOf(recordId: string): Promise<string | null>;
}
