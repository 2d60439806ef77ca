import type { ProviderField } from '#values/provider-field.ts';
import type { AcceptedCallback, RawCallback, ReadCallback } from './payment-callback.ts';
import type {
  CaptureOutcome,
  CaptureRequest,
  ChargeOutcome,
  ChargeRequest,
  FoundPayment,
  NotDone,
  PaymentVault,
  RefundOutcome,
  RefundRequest,
  StartOutcome,
  StartRequest,
  VaultCustomer,
  VoidOutcome,
  VoidRequest,
} from './payment-requests.ts';

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
  /** One sentence for shoppers who have not decided yet. */
  readonly description: string | null;
  readonly sdk: { readonly sdkUrl: string | null; readonly adapterUrl: string | null } | null;
  readonly formFields: readonly { name: string; label: string; type: string; required: boolean }[];
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

/** What a payer is asked whose bank wants to see them (docs/rules/payments.md#challenge). */
export interface BankChallenge {
  /** null: a card is to be saved, nothing is paid. */
  readonly price: { readonly amountMinor: number; readonly currency: string } | null;
  /** Where they go with their answer: a path of the shop, and its query. */
  readonly returnPath: string;
  readonly returnFields: Readonly<Record<string, string>>;
}

/** How agents know a provider (docs/rules/agents.md#payment-handlers); what is left out follows from its alias. */
export interface AgentHandler {
  readonly handlerId?: string;
  /** Reverse-domain form. */
  readonly handlerName?: string;
  readonly specUrl?: string;
  readonly schemaUrl?: string;
  /** It is there for agents to test with: shoppers are never offered it. */
  readonly isForAgentsOnly?: true;
  /** Stands for any card: the provider takes card numbers themselves, which the shop keeps nowhere. */
  readonly tokenOfCard?: string;
  /** Public values only: what an agent needs to ask for a token. */
  config?(): Readonly<Record<string, string>>;
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
  /** What the script of a method needs before there is a session; never a secret. */
  sdkConfig?(about: {
    readonly methodAlias: string;
    readonly amountMinor: number;
    readonly currency: string;
  }): Readonly<Record<string, unknown>>;
  readonly agentHandler?: AgentHandler;
  /** Its name of what a payer has come back from, where it appends that to the page; null: it says nothing. */
  cameFrom?(parameters: Readonly<Record<string, string>>): string | null;
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
  /** Whether it is set to authorise only: a charge sets money aside, and `capture` takes it when staff say so. */
  capturesLater?(): boolean;
  capture?(request: CaptureRequest): Promise<CaptureOutcome>;
  /** Undoes what was authorised, or closes a session; nothing to undo is `completed`. */
  void?(request: VoidRequest): Promise<VoidOutcome>;
  refund?(request: RefundRequest): Promise<RefundOutcome>;
  /** What has come of a refund that it has taken on, by the provider's own name of it; `refused`: it has failed. */
  lookUpRefund?(request: { readonly transactionId: string }): Promise<RefundOutcome>;
  readonly vault?: PaymentVault;
  /** Reads a callback and checks who signed it. No I/O. */
  callback?(callback: RawCallback): ReadCallback;
  /**
   * Of a provider for tests, whose books know nothing of callbacks that tests sign. Harmless to repeat. Answers over
   * how much the payment is in its books, in minor units: what it was told of first stands.
   */
  accepted?(callback: AcceptedCallback): Promise<number>;
  /** Merchant session of a wallet; the validation address has been checked. */
  validateWallet?(request: {
    readonly validationUrl: string;
    readonly displayName: string;
    readonly domain: string;
  }): Promise<{ readonly kind: 'session'; readonly session: Readonly<Record<string, unknown>> } | NotDone>;
  /** Asks it as it is set, and changes nothing. What is wrong, in words; null: it answers. */
  test?(): Promise<string | null>;
  /** Of a provider for tests: what the page of the payer's bank asks, which the shop serves; null: nothing any more. */
  challenge?(sessionId: string): Promise<BankChallenge | null>;
  /** Everything that it has charged, oldest first; of a provider for tests, which can be asked. */
  charges?(): Promise<readonly MadeCharge[]>;
  /** Everything that it has given back, oldest first. */
  refunds?(): Promise<readonly MadeRefund[]>;
}
