/**
 * No, or no answer. `refused` is the provider's final no; `unavailable` means that certainly nothing happened, and it
 * may be tried again; `unknownOutcome` is never a failure: ask again with the same key.
 */
export type NotDone =
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unknownOutcome' };

/** A method that the provider keeps, by its own names. */
export interface SavedMethodIds {
  readonly providerMethodId: string;
  readonly providerCustomerId: string | null;
}

/** What a charge is paid from: a one-time token of the provider's form or wallet, or a method that it keeps. */
export type PaymentSource = { readonly token: string } | { readonly saved: SavedMethodIds };

/** What a charge is asked for. `amountMinor` in the minor unit of `currency`. */
export interface ChargeRequest {
  /** Our attempt id: the same key never charges twice. */
  readonly idempotencyKey: string;
  readonly invoiceId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly methodAlias: string;
  readonly source: PaymentSource;
  /** Where the payer's own bank sends them back to, absolute. */
  readonly returnPage: string;
  /** Keep the method for later; given only to a provider that has a vault. The outcome brings `savedMethod`. */
  readonly saveFor: VaultCustomer | null;
  /** The payer is not there: a bank that wants to see them is a refusal. */
  readonly isOffSession?: true;
}

/** How a charge ended. */
export type ChargeOutcome =
  | {
      readonly kind: 'completed' | 'authorized';
      readonly transactionId: string;
      readonly savedMethod?: VaultedMethod;
      readonly risk?: Risk;
      /** ISO instant until which what was authorised can be captured, where the provider says so. */
      readonly authorizedUntil?: string;
    }
  /** The provider still owes an outcome; its callback or a look-up brings it. */
  | { readonly kind: 'pending'; readonly transactionId: string }
  /** The payer has to go on elsewhere: a session that is merely opened. */
  | { readonly kind: 'requiresAction'; readonly transactionId: string; readonly session: StartedSession }
  | NotDone;

/** What a session is started for. */
export interface StartRequest {
  readonly idempotencyKey: string;
  readonly methodAlias: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** null: an intent of a wallet before there is an invoice, bound to `basketId` then. */
  readonly invoiceId: string | null;
  readonly basketId: string | null;
  readonly returnPage: string;
  readonly cancelPage: string;
  readonly description: string;
  /** Keep the method for later, as with a charge; the payment brings `savedMethod`, where the provider can. */
  readonly saveFor?: VaultCustomer;
}

/** A session in which the payer goes on: at another page, in a widget, or with an intent. */
export interface StartedSession {
  readonly sessionId: string;
  readonly redirectUrl: string | null;
  readonly clientSecret: string | null;
  readonly clientToken: string | null;
  readonly sdkConfig: Readonly<Record<string, unknown>>;
}
export type StartOutcome = { readonly kind: 'started'; readonly session: StartedSession } | NotDone;

/** What a provider knows of a payment: of a session, or looked up by its transaction. */
export interface ProviderPayment {
  readonly status: 'completed' | 'authorized' | 'pending' | 'failed' | 'cancelled' | 'open';
  readonly transactionId: string;
  readonly invoiceId: string | null;
  readonly basketId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  /** Why it failed. */
  readonly message: string | null;
  readonly risk?: Risk;
  /** Of one that is authorised: ISO instant until which it can be captured, where the provider says so. */
  readonly authorizedUntil?: string;
  /** Of a session that was to keep the method. */
  readonly savedMethod?: VaultedMethod;
}
export type FoundPayment =
  | { readonly kind: 'found'; readonly payment: ProviderPayment }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unknownOutcome' };

/** What is captured of a payment that was authorised; the rest is let go. */
export interface CaptureRequest {
  readonly idempotencyKey: string;
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly currency: string;
}
export type CaptureOutcome =
  | {
      readonly kind: 'completed';
      readonly transactionId: string;
      /** What was taken, where it had been taken before; else as asked. */
      readonly amountMinor?: number;
    }
  | NotDone;

export interface VoidRequest {
  readonly idempotencyKey: string;
  readonly transactionId: string;
}
export type VoidOutcome = { readonly kind: 'completed' } | NotDone;

export interface RefundRequest extends CaptureRequest {
  readonly reason: string;
}
/** `pending`: the provider has taken it on, and still owes the outcome: its callback or a look-up brings it. */
export type RefundOutcome =
  | { readonly kind: 'completed' | 'pending'; readonly transactionId: string }
  | NotDone;

/** For whom a method is kept. */
export interface VaultCustomer {
  readonly customerId: string;
  readonly email: string;
  readonly name: string;
  /** null until the provider has named the customer. */
  readonly providerCustomerId: string | null;
}

/** A method that the provider keeps. Never card data: what a shopper recognises it by. */
export interface VaultedMethod extends SavedMethodIds {
  readonly methodType: 'Card' | 'PayPal' | 'BankAccount' | 'Other';
  readonly cardBrand: string | null;
  readonly last4: string | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  readonly billingName: string | null;
  readonly billingEmail: string | null;
  readonly isVerified: boolean;
}

export interface VaultSetUp {
  readonly idempotencyKey: string;
  readonly customer: VaultCustomer;
  readonly methodAlias: string | null;
  /** The shop's own page for those who come back from their bank, absolute. */
  readonly returnPage: string;
  readonly ip: string | null;
}
export type VaultSetUpOutcome =
  | {
      readonly kind: 'started';
      readonly session: StartedSession & { readonly providerCustomerId: string | null };
    }
  | NotDone;

export interface VaultConfirmation {
  readonly sessionId: string;
  readonly token: string | null;
  readonly providerCustomerId: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  /** As when it was set up. */
  readonly returnPage: string;
}
export type VaultConfirmOutcome =
  | { readonly kind: 'saved'; readonly method: VaultedMethod }
  /** The payer's bank wants to see them first. */
  | { readonly kind: 'requiresAction'; readonly session: StartedSession }
  | NotDone;

/** Keeps ways to pay for later. */
export interface PaymentVault {
  readonly requiresProviderCustomerId: boolean;
  setUp(request: VaultSetUp): Promise<VaultSetUpOutcome>;
  confirm(confirmation: VaultConfirmation): Promise<VaultConfirmOutcome>;
  /** Forgets a method; one that it does not know is forgotten already. */
  remove(method: SavedMethodIds): Promise<void>;
}

export interface Risk {
  readonly score: number;
  readonly source: string;
}
