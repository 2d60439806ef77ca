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
}

/** How a charge ended. */
export type ChargeOutcome =
  | {
      readonly kind: 'completed' | 'authorized';
      readonly transactionId: string;
      readonly savedMethod?: VaultedMethod;
      readonly risk?: Risk;
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
  /** Of a session that was to keep the method. */
  readonly savedMethod?: VaultedMethod;
}
export type FoundPayment =
  | { readonly kind: 'found'; readonly payment: ProviderPayment }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unknownOutcome' };

/** What is captured of a payment that was authorised. */
export interface CaptureRequest {
  readonly idempotencyKey: string;
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly currency: string;
}
export type CaptureOutcome = { readonly kind: 'completed'; readonly transactionId: string } | NotDone;

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
  { readonly kind: 'completed' | 'pending'; readonly transactionId: string } | NotDone;

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
  readonly returnUrl: string;
  readonly cancelUrl: string;
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
}
export type VaultConfirmOutcome = { readonly kind: 'saved'; readonly method: VaultedMethod } | NotDone;

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

/** What a provider tells the shop of its own accord. */
export interface PaymentCallback {
  /** The provider's own id of the event, else a hash of the body. */
  readonly eventId: string;
  readonly type:
    | 'PaymentCompleted'
    | 'PaymentFailed'
    | 'PaymentCancelled'
    | 'RefundCompleted'
    | 'RefundFailed'
    | 'DisputeOpened'
    | 'DisputeResolved'
    | 'Unknown';
  readonly transactionId: string | null;
  readonly invoiceId: string | null;
  readonly sessionId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly reason: string | null;
  readonly refundId: string | null;
  readonly disputeId: string | null;
  readonly disputeOutcome: 'won' | 'lost' | null;
  readonly risk: Risk | null;
  readonly settlement: {
    readonly currency: string;
    readonly amountMinor: number;
    readonly exchangeRate: string | null;
  } | null;
}
export type ReadCallback =
  | { readonly kind: 'event'; readonly event: PaymentCallback }
  | { readonly kind: 'invalidSignature' }
  | { readonly kind: 'malformed'; readonly message: string };

/** As it came: raw bytes, header names in lower case. `now` is the shop's clock, in milliseconds. */
export interface RawCallback {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: number;
}

/** What the shop has recorded of money because of a callback. */
export interface AcceptedCallback {
  readonly type: 'PaymentCompleted' | 'RefundCompleted' | 'RefundFailed';
  readonly invoiceId: string;
  /** Of the payment. */
  readonly transactionId: string;
  /** Of the refund. */
  readonly refundId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
}

export type PaymentIntegration = 'Redirect' | 'HostedFields' | 'Widget' | 'DirectForm';

/** One way to pay, as the checkout lists it (docs/rules/payments.md#methods). */
export interface PaymentMethodInfo {
  readonly methodAlias: string;
  readonly displayName: string;
  readonly integration: PaymentIntegration;
  /** A form that pays by itself: it needs an intent first, whose `clientSecret` a started session brings. */
  readonly startsIntent?: true;
  /** A wallet, which brings the address and pays in one step. */
  readonly isExpress: boolean;
  readonly methodType: string | null;
  readonly iconHtml: string | null;
  readonly sdk: { readonly sdkUrl: string | null; readonly adapterUrl: string | null } | null;
  readonly formFields: readonly { name: string; label: string; type: string; required: boolean }[];
}

/** A setting that the backoffice may give a provider. */
export interface ProviderField {
  readonly key: string;
  readonly label: string;
  readonly type: 'Text' | 'Secret' | 'Boolean' | 'Number' | 'Url';
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly defaultValue: string | null;
}

/** A charge in a provider's own books; `_id` is the idempotency key. */
export interface MadeCharge {
  readonly _id: string;
  readonly invoiceId: string;
  readonly transactionId: string;
  readonly token: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: string;
  readonly dateCreated: string;
}

/** A refund in a provider's own books; `_id` is the idempotency key. */
export interface MadeRefund {
  readonly _id: string;
  readonly invoiceId: string;
  readonly chargeTransactionId: string;
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly dateCreated: string;
}

/** A provider of payments. It has the functions that it can do. Adapters hold no business rule. */
export interface PaymentProvider {
  readonly alias: string;
  readonly displayName: string;
  readonly methods: readonly PaymentMethodInfo[];
  readonly fields: readonly ProviderField[];
  readonly supports: {
    readonly refunds: boolean;
    readonly partialRefunds: boolean;
    readonly authAndCapture: boolean;
    readonly paymentLinks: boolean;
    readonly requiresCallback: boolean;
  };
  /**
   * How what a form says is taken: believed, as a promise for which goods are held so long, or on account. null: it
   * takes no forms.
   */
  readonly direct:
    | { readonly kind: 'believed' }
    | { readonly kind: 'promise'; readonly holdMinutes: number }
    | { readonly kind: 'account' }
    | null;
  /** What is wrong with a token, or null. Asked before an attempt is recorded. */
  checkToken(token: string): string | null;
  charge?(request: ChargeRequest): Promise<ChargeOutcome>;
  start?(request: StartRequest): Promise<StartOutcome>;
  /** Ends a session after the payer has come back. `parameters`: what came with the return. */
  confirm?(request: {
    readonly sessionId: string;
    readonly parameters: Readonly<Record<string, string>>;
    /** What the payer says only now: keep the method. */
    readonly saveFor?: VaultCustomer;
  }): Promise<FoundPayment>;
  lookUp?(request: { readonly transactionId: string }): Promise<FoundPayment>;
  capture?(request: CaptureRequest): Promise<CaptureOutcome>;
  /** Undoes what was authorised, or closes a session; nothing to undo is `completed`. */
  void?(request: VoidRequest): Promise<VoidOutcome>;
  refund?(request: RefundRequest): Promise<RefundOutcome>;
  /** What has come of a refund that it has taken on, by the provider's own name of it; `refused`: it has failed. */
  lookUpRefund?(request: { readonly transactionId: string }): Promise<RefundOutcome>;
  readonly vault?: PaymentVault;
  /** Reads a callback and checks who signed it. No I/O. */
  callback?(callback: RawCallback): ReadCallback;
  /** Of a provider for tests, whose books know nothing of callbacks that tests sign. Harmless to repeat. */
  accepted?(callback: AcceptedCallback): Promise<void>;
  /** Merchant session of a wallet; the validation address has been checked. */
  validateWallet?(request: {
    readonly validationUrl: string;
    readonly displayName: string;
    readonly domain: string;
  }): Promise<{ readonly kind: 'session'; readonly session: Readonly<Record<string, unknown>> } | NotDone>;
  /** Asks it as it is set, and changes nothing. What is wrong, in words; null: it answers. */
  test?(): Promise<string | null>;
  /** Everything that it has charged, oldest first; of a provider for tests, which can be asked. */
  charges?(): Promise<readonly MadeCharge[]>;
  /** Everything that it has given back, oldest first. */
  refunds?(): Promise<readonly MadeRefund[]>;
}
