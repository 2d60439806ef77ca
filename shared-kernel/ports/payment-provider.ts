/** What a charge is asked for. `amountMinor` in the minor unit of `currency`. */
export interface ChargeRequest {
  /** Our attempt id: the same key never charges twice. */
  readonly idempotencyKey: string;
  readonly invoiceId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly token: string;
}

/**
 * How a charge ended. `refused` is the provider's final no; `unavailable` means it was certainly not charged and may be
 * tried again; `unknownOutcome` is never a failure: ask again with the same key.
 */
export type ChargeOutcome =
  | { readonly kind: 'completed'; readonly transactionId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'unknownOutcome' };

export type PaymentIntegration = 'Redirect' | 'HostedFields' | 'Widget' | 'DirectForm';

/** One way to pay, as the checkout lists it (docs/rules/payments.md#methods). */
export interface PaymentMethodInfo {
  readonly methodAlias: string;
  readonly displayName: string;
  readonly integration: PaymentIntegration;
  readonly iconHtml: string | null;
  readonly formFields: readonly { name: string; label: string; type: string; required: boolean }[];
}

/** A charge in a provider's own books; `_id` is the idempotency key. */
export interface MadeCharge {
  readonly _id: string;
  readonly invoiceId: string;
  readonly token: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly status: string;
  readonly dateCreated: string;
}

/** A provider of payments. Adapters hold no business rule. */
export interface PaymentProvider {
  readonly alias: string;
  readonly displayName: string;
  readonly methods: readonly PaymentMethodInfo[];
  readonly supportsVaulting: boolean;
  /**
   * For how long goods are held for a payment of a form that somebody has yet to see arrive; null: what the form says
   * is taken for paid.
   */
  readonly holdMinutes: number | null;
  /** What is wrong with a token, or null. Asked before an attempt is recorded. */
  checkToken(token: string): string | null;
  charge(request: ChargeRequest): Promise<ChargeOutcome>;
  /** Everything that it has charged, oldest first; of a provider for tests, which can be asked. */
  charges?(): Promise<readonly MadeCharge[]>;
}
