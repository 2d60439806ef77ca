import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { ChargeOutcome, SavedMethodIds } from '#ports/payment-requests.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { OpenAttempt, SaveFor } from './open-attempt.state.ts';
import type { PaymentSessionKind } from '#events/invoice.events.ts';

/** Records that a provider is about to be asked for the whole balance. */
export interface AttemptPayment {
  readonly type: 'AttemptPayment';
  readonly provider: string;
  readonly method: string;
  /** Null where a saved method is charged. */
  readonly token: string | null;
  /** Keyed hash of the token, or of the saved method: part of the attempt's key. */
  readonly tokenHash: string;
  readonly saved?: NonNullable<OpenAttempt['saved']>;
  readonly saveFor?: SaveFor;
  readonly payer?: NonNullable<OpenAttempt['payer']>;
  /** Where the shop is: no later address of it may reach the provider under the same key. */
  readonly ownAddress?: string;
  /** Names this ask: only its sender may ask the provider first (docs/rules/payments.md#asking). */
  readonly askId: string;
}

/** What a shopper pays with; who asks the provider is added when it is recorded. */
export type CardPayment = Omit<AttemptPayment, 'askId' | 'payer' | 'ownAddress'>;

/** Records that a provider is about to be asked by another caller than the first, or once more. */
export interface AskAgain {
  readonly type: 'AskAgain';
  readonly attemptId: string;
}

export interface CapturePayment {
  readonly type: 'CapturePayment';
  readonly attemptId: string;
  readonly transactionId: string;
  /** The method that was saved with it. */
  readonly keptMethodId?: string;
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
  /** Who asked; null for a caller that was not the first. */
  readonly askId: string | null;
  readonly reason: string;
}

/** A payment that was taken outside a provider (manual), as the shopper's form says. */
export interface RecordDirectPayment {
  readonly type: 'RecordDirectPayment';
  readonly provider: string;
  readonly method: string;
  readonly formData: Readonly<Record<string, string>>;
  /** A promise, for which goods are held so long. null: the form is believed. */
  readonly holdMinutes: number | null;
}

/** Money that staff have seen arrive. */
export interface RecordManualPayment {
  readonly type: 'RecordManualPayment';
  readonly method: string;
  /** Minor units of the invoice's currency; more than is due makes a credit. Null: what is due. */
  readonly amount: number | null;
  readonly description: string | null;
  /** ISO instant at which it arrived; left out: now. */
  readonly paidAt?: string;
}

/** The provider has taken the charge on and owes the outcome. */
export interface AwaitOutcome {
  readonly type: 'AwaitOutcome';
  readonly attemptId: string;
  readonly transactionId: string;
}

/** The payer's own bank wants to see them first: the charge goes on as a session. */
export interface SendPayerOn {
  readonly type: 'SendPayerOn';
  readonly attemptId: string;
  readonly sessionId: string;
  readonly redirectUrl: string | null;
}

/** What a provider that was asked to charge has said. */
export type AttemptOutcomeCommand =
  AskAgain | CapturePayment | AwaitOutcome | SendPayerOn | DeclinePayment | GiveUpAttempt;

/** Records a session that a provider has started. */
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

/** A payment reported by a provider through a return, a callback or a look-up. Identified by its transaction. */
export interface RecordProviderPayment {
  readonly type: 'RecordProviderPayment';
  readonly provider: string;
  /** null: the session's, or unknown. */
  readonly method: string | null;
  readonly transactionId: string;
  readonly sessionId: string | null;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** The method that was saved with it. */
  readonly keptMethodId?: string | null;
  readonly webhookEventId: string | null;
  readonly risk: { readonly score: number; readonly source: string } | null;
  readonly settlement: {
    readonly currency: string;
    readonly amountMinor: number;
    readonly exchangeRate: string | null;
  } | null;
}

/** The provider owes the outcome of a session, or of a payment that was looked up. */
export interface AwaitProviderPayment {
  readonly type: 'AwaitProviderPayment';
  readonly provider: string;
  readonly method: string | null;
  readonly transactionId: string;
  readonly sessionId: string | null;
}

/** A provider says that nothing came of a payment. One that it has told to be complete stays so. */
export interface DeclineProviderPayment {
  readonly type: 'DeclineProviderPayment';
  readonly provider: string;
  readonly transactionId: string;
  readonly sessionId: string | null;
  /** For people. */
  readonly reason: string;
  /** The payer has given it up. */
  readonly isCancelled: boolean;
  /** Minor units of the invoice's currency; null or left out: the provider does not say. */
  readonly amount?: number | null;
}

/** The provider knows that these sessions are void. */
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
  AttemptPayment | AttemptOutcomeCommand | RecordDirectPayment | RecordManualPayment | ProviderCommand;

/** What became of a payment that a provider has told of. */
export interface ProviderPaymentRecorded {
  /** `otherCurrency`: not recorded, it is not the invoice's. */
  readonly kind: 'recorded' | 'known' | 'otherCurrency';
  /** null where it was not recorded. */
  readonly paymentId: string | null;
  /** It came when nothing was to be paid any more, and is owed back. */
  readonly isOverpayment: boolean;
  readonly position: number;
}

/** A charge of a saved method; asked again under the same key it is the same charge. */
export interface ChargeAfterwards {
  readonly key: string;
  readonly invoiceId: string;
  readonly provider: string;
  readonly method: string;
  readonly saved: SavedMethodIds;
  readonly amount: number;
  readonly currency: string;
}

/** What has been charged, or begun to be, and is not wanted; asked again under the same key it is undone once. */
export interface UndoCharge extends Pick<ChargeAfterwards, 'provider' | 'amount' | 'currency'> {
  /** Of the payment that it would be: should it stand after all, its refund is this one. */
  readonly paymentId: string;
  readonly transactionId: string;
  readonly isTaken: boolean;
}

/** What is charged after a purchase, outside what is owed for it. */
export interface ChargesAfterwards {
  chargeSaved(charge: ChargeAfterwards): Promise<ChargeOutcome>;
  /** How it was undone; `kept`: later or never; null: unknown, ask again. */
  undoCharge(charge: UndoCharge): Promise<'refunded' | 'voided' | 'kept' | null>;
}

export interface PaymentsApi extends ChargesAfterwards {
  /** Tells the customer's stream what a sale on account still has to bring in; the position that it reached. */
  noteOutstanding(invoiceId: string, meta: CommandMeta): Promise<number>;
  /** Tells providers, in the background, of sessions that are over; what fails is driven again. */
  voidSessions(invoiceId: string, meta: CommandMeta): void;
  /** The providers that are offered and keep ways to pay for later. */
  vaultProviders(): readonly PaymentProvider[];
  /** One that there is, be it offered or not. */
  providerNamed(alias: string): PaymentProvider | undefined;
  /** Errors: Rejection `invalid-request`, naming every page that is not allowed. */
  checkPages(pages: { readonly returnUrl: string; readonly cancelUrl: string }): void;
  /** The invoice of a provider's session or transaction; null where it is unknown. */
  invoiceOf(provider: string, reference: string, toAsk?: () => Promise<void>): Promise<string | null>;
  /** Records it once, and makes the sale if it pays the invoice. Errors: `invoice-not-found`. */
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
   * Gives back money that came too late or twice: asked again under the same key it is one refund. Where the provider
   * cannot, or says no, that stands on the invoice (docs/rules/refunds.md#money-that-is-owed-back).
   */
  refund(
    invoiceId: string,
    paymentId: string,
    refund: { readonly amount: number | null; readonly reason: string; readonly key: string },
    meta: CommandMeta,
  ): Promise<void>;
}
