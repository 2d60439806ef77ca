import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, Risk, SavedMethodIds } from '#ports/payment-requests.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { AuthorizationCommand } from './authorization.commands.ts';
import type { OpenAttempt, SaveFor } from './open-attempt.state.ts';
import type { PaymentPages } from '#events/invoice.fields.ts';
import type { PaymentSessionKind } from '#events/invoice.events.ts';

/** Records that a provider is about to be asked to charge the whole balance. */
export interface AttemptPayment {
  readonly type: 'AttemptPayment';
  readonly provider: string;
  readonly method: string;
  /** Null if a saved method is charged. */
  readonly token: string | null;
  /** Keyed hash of the token or the saved method; part of the attempt's id. */
  readonly tokenHash: string;
  readonly saved?: NonNullable<OpenAttempt['saved']>;
  readonly saveFor?: SaveFor;
  readonly payer?: NonNullable<OpenAttempt['payer']>;
  /** The shop's own address: the same key must never reach the provider with another one. */
  readonly ownAddress?: string;
  /** Where the shopper goes on at the end; left out: where the invoice's payments do. */
  readonly pages?: PaymentPages;
  /** Names this ask: only its sender may ask the provider first (docs/rules/payments.md#asking). */
  readonly askId: string;
}

/** What a shopper pays with; recording adds who asks the provider. */
export type CardPayment = Omit<AttemptPayment, 'askId' | 'payer'>;

/** Records that a caller other than the first is about to ask the provider, or the same one again. */
export interface AskAgain {
  readonly type: 'AskAgain';
  readonly attemptId: string;
}

export interface CapturePayment {
  readonly type: 'CapturePayment';
  readonly attemptId: string;
  readonly transactionId: string;
  /** The method saved with this payment. */
  readonly keptMethodId?: string;
  readonly risk?: Risk;
}

export interface DeclinePayment {
  readonly type: 'DeclinePayment';
  readonly attemptId: string;
  readonly code: string;
  readonly message: string;
}

/** The provider could not be reached. Nothing has been charged if it was never asked before; the decider knows. */
export interface GiveUpAttempt {
  readonly type: 'GiveUpAttempt';
  readonly attemptId: string;
  /** Null for a caller that was not the first. */
  readonly askId: string | null;
  readonly reason: string;
}

/** A payment outside any provider (manual), as the shopper's form states. */
export interface RecordDirectPayment {
  readonly type: 'RecordDirectPayment';
  readonly provider: string;
  readonly method: string;
  readonly formData: Readonly<Record<string, string>>;
  /** How long goods are held for a promised payment. Null: the form counts as payment. */
  readonly holdMinutes: number | null;
}

/** Money that staff have received. */
export interface RecordManualPayment {
  readonly type: 'RecordManualPayment';
  readonly method: string;
  /** Minor units of the invoice's currency; an excess becomes credit. Null: what is due. */
  readonly amount: number | null;
  readonly description: string | null;
  /** ISO instant of arrival; default: now. */
  readonly paidAt?: string;
}

/** The provider has accepted the charge; its outcome is pending. */
export interface AwaitOutcome {
  readonly type: 'AwaitOutcome';
  readonly attemptId: string;
  readonly transactionId: string;
}

/** The payer's bank wants to verify them: the charge continues as a session. */
export interface SendPayerOn {
  readonly type: 'SendPayerOn';
  readonly attemptId: string;
  readonly sessionId: string;
  readonly redirectUrl: string | null;
  readonly clientSecret: string | null;
}

export type AttemptOutcomeCommand =
  | AskAgain
  | CapturePayment
  | AwaitOutcome
  | SendPayerOn
  | DeclinePayment
  | GiveUpAttempt;

/** The shopper pays an invoice that was there already, and says where they go on. */
export interface ChoosePaymentPages extends PaymentPages {
  readonly type: 'ChoosePaymentPages';
}

export interface OpenPaymentSession {
  readonly type: 'OpenPaymentSession';
  readonly sessionId: string;
  readonly provider: string;
  readonly method: string;
  readonly kind: PaymentSessionKind;
  readonly saveFor?: SaveFor;
  readonly payer?: NonNullable<OpenAttempt['payer']>;
  readonly amount: number;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/** A payment reported by a provider on a return, in a callback or when asked. The transaction identifies a repeat. */
export interface RecordProviderPayment {
  readonly type: 'RecordProviderPayment';
  readonly provider: string;
  /** Null: the session's, or unknown. */
  readonly method: string | null;
  readonly transactionId: string;
  readonly sessionId: string | null;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** The method saved with this payment. */
  readonly keptMethodId?: string | null;
  readonly webhookEventId: string | null;
  readonly risk: { readonly score: number; readonly source: string } | null;
  readonly settlement: {
    readonly currency: string;
    readonly amountMinor: number;
    readonly exchangeRate: string | null;
  } | null;
}

/** The outcome of a session, or of a payment that was looked up, is pending. */
export interface AwaitProviderPayment {
  readonly type: 'AwaitProviderPayment';
  readonly provider: string;
  readonly method: string | null;
  readonly transactionId: string;
  readonly sessionId: string | null;
}

/** A provider reports a payment as failed. One reported as complete stays complete. */
export interface DeclineProviderPayment {
  readonly type: 'DeclineProviderPayment';
  readonly provider: string;
  readonly transactionId: string;
  readonly sessionId: string | null;
  /** For staff. */
  readonly reason: string;
  /** The payer gave up, or what was set aside is theirs again. */
  readonly isCancelled: boolean;
  /** It was set aside, and not captured in time. */
  readonly isExpired?: boolean;
  /** Minor units of the invoice's currency; null or omitted if the provider does not say. */
  readonly amount?: number | null;
}

/** Notes that the provider has voided these sessions. */
export interface NoteVoidedSessions {
  readonly type: 'NoteVoidedSessions';
  readonly sessionIds: readonly string[];
}

export type ProviderCommand =
  | OpenPaymentSession
  | RecordProviderPayment
  | AwaitProviderPayment
  | DeclineProviderPayment
  | NoteVoidedSessions;

export type PaymentCommand =
  | AuthorizationCommand
  | AttemptPayment
  | AttemptOutcomeCommand
  | ChoosePaymentPages
  | RecordDirectPayment
  | RecordManualPayment
  | ProviderCommand;

/** How a payment reported by a provider was recorded. */
export interface ProviderPaymentRecorded {
  /** `otherCurrency`: not recorded, as it is not in the invoice's currency. */
  readonly kind: 'recorded' | 'known' | 'otherCurrency';
  /** Null if not recorded. */
  readonly paymentId: string | null;
  /** It arrived when nothing was due, and is owed back. */
  readonly isOverpayment: boolean;
  readonly position: number;
}

/** A charge of a saved method. The same key means the same charge. */
export interface ChargeAfterwards {
  readonly key: string;
  readonly invoiceId: string;
  readonly provider: string;
  readonly method: string;
  readonly saved: SavedMethodIds;
  readonly amount: number;
  readonly currency: string;
}

/** An unwanted charge, taken or begun. The same key undoes it once. */
export interface UndoCharge extends Pick<ChargeAfterwards, 'provider' | 'amount' | 'currency'> {
  /** The payment that it would be: if it stands after all, this is the id to refund. */
  readonly paymentId: string;
  readonly transactionId: string;
  readonly isTaken: boolean;
}

/** Charges after a purchase, beyond its balance. */
export interface ChargesAfterwards {
  chargeSaved(charge: ChargeAfterwards): Promise<ChargeOutcome>;
  /** How it was undone. `kept`: later or never. Null: unknown, ask again. */
  undoCharge(charge: UndoCharge): Promise<'refunded' | 'voided' | 'kept' | null>;
}

export interface PaymentsApi extends ChargesAfterwards {
  /** Tells the customer's stream what is still due on a sale on account. Returns the position reached. */
  noteOutstanding(invoiceId: string, meta: CommandMeta): Promise<number>;
  /** Has providers void closed sessions, in the background; failures are retried. */
  voidSessions(invoiceId: string, meta: CommandMeta): void;
  /** Has providers let go what they have set aside for a closed invoice, in the background; failures are retried. */
  voidAuthorizations(invoiceId: string, meta: CommandMeta): void;
  /** Those that shoppers are offered, as they see them; another list whenever that changes. */
  offeredProviders(): readonly PaymentProvider[];
  /** Offered providers that save payment methods. */
  vaultProviders(): readonly PaymentProvider[];
  /** Also a provider that is not offered. */
  providerNamed(alias: string): PaymentProvider | undefined;
  /** Refuses pages outside the shop. Errors: Rejection `invalid-request`, naming each. */
  checkPages(pages: { readonly returnUrl: string; readonly cancelUrl: string }): void;
  /** The page, if a browser may still be sent there; else null. */
  allowedPage(page: string): string | null;
  /** Scheme and host of the shop; null: those of the request. */
  readonly ownAddress: string | null;
  /** The invoice of a provider's session or transaction; null if unknown. */
  invoiceOf(provider: string, reference: string, toAsk?: () => Promise<void>): Promise<string | null>;
  /** Records a payment once, and makes the sale if it pays the invoice. Errors: `invoice-not-found`. */
  recordProviderPayment(
    invoiceId: string,
    payment: Omit<RecordProviderPayment, 'type'>,
    meta: CommandMeta,
  ): Promise<ProviderPaymentRecorded>;
  /** Errors: `invoice-not-found`. */
  declineProviderPayment(
    invoiceId: string,
    declined: Omit<DeclineProviderPayment, 'type'>,
    meta: CommandMeta,
  ): Promise<{ readonly position: number; readonly events: readonly { readonly type: string }[] }>;
  /**
   * Refunds money that came too late or twice; the same key means one refund. If the provider cannot or declines, the
   * invoice says so (docs/rules/refunds.md#money-that-is-owed-back).
   */
  refund(
    invoiceId: string,
    paymentId: string,
    refund: { readonly amount: number | null; readonly reason: string; readonly key: string },
    meta: CommandMeta,
  ): Promise<void>;
}
