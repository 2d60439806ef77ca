import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { VaultedMethod } from '#ports/payment-requests.ts';
import type { SavedMethod } from './saved-methods.state.ts';

/** Keeps a way to pay for later; the provider's own id of it is the business key of a repeat. */
export interface SavePaymentMethod {
  readonly type: 'SavePaymentMethod';
  readonly methodId: string;
  readonly provider: string;
  readonly method: VaultedMethod;
  readonly setAsDefault: boolean;
  readonly consentIpAddress: string | null;
}

export interface SetDefaultPaymentMethod {
  readonly type: 'SetDefaultPaymentMethod';
  readonly methodId: string;
}

export interface RemovePaymentMethod {
  readonly type: 'RemovePaymentMethod';
  readonly methodId: string;
}

/** An invoice was paid with it; the invoice is the business key of a repeat. */
export interface NotePaymentMethodUsed {
  readonly type: 'NotePaymentMethodUsed';
  readonly methodId: string;
  readonly invoiceId: string;
}

/** Their providers know them no more. */
export interface NoteForgottenMethods {
  readonly type: 'NoteForgottenMethods';
  readonly methodIds: readonly string[];
}

export type SavedMethodCommand =
  | SavePaymentMethod
  | SetDefaultPaymentMethod
  | RemovePaymentMethod
  | NotePaymentMethodUsed
  | NoteForgottenMethods;

/** A saved method as shoppers see it. */
export interface SavedMethodRow {
  readonly id: string;
  readonly providerAlias: string;
  readonly methodType: string;
  readonly cardBrand: string | null;
  readonly last4: string | null;
  readonly expiryFormatted: string | null;
  readonly isExpired: boolean;
  readonly displayLabel: string;
  readonly isDefault: boolean;
  readonly iconHtml: string | null;
}

/** A saved method, and whose it is. */
export interface FoundMethod {
  readonly customerId: string;
  readonly method: SavedMethod;
  readonly isExpired: boolean;
}

export interface SavedMethodsApi {
  /**
   * Those of a customer that can be paid with here: the default first, then the newest. Methods of providers that are
   * off, or keep none any more, are left out.
   */
  of(customerId: string): Promise<readonly SavedMethodRow[]>;
  /** Null for one that is not there, or not any more. */
  byId(methodId: string): Promise<FoundMethod | null>;
  /** Keeps what a charge has brought; the id of the method. Errors: `too-many-payment-methods`. */
  keep(
    customerId: string,
    kept: Omit<SavePaymentMethod, 'type' | 'methodId'>,
    meta: CommandMeta,
  ): Promise<string>;
  /**
   * Keeps the method of a set-up session that the provider has told of, though its payer's browser may never come back.
   * False where no customer has begun one, or nothing came of it. Errors: `provider-unavailable`,
   * `too-many-payment-methods`.
   */
  finishSetUp(provider: string, sessionId: string, meta: CommandMeta): Promise<boolean>;
  /** Who a provider is to keep a method for. */
  vaultCustomer(
    customerId: string,
    provider: string,
  ): Promise<{
    readonly customerId: string;
    readonly email: string;
    readonly name: string;
    readonly providerCustomerId: string | null;
  }>;
  markUsed(customerId: string, methodId: string, invoiceId: string, meta: CommandMeta): Promise<void>;
  /** Of a customer who is gone. */
  removeAll(customerId: string, meta: CommandMeta): Promise<void>;
  /** The same, and asks their providers to forget them. False while one of them has not said that it has. */
  removeFromProviders(customerId: string, meta: CommandMeta): Promise<boolean>;
}
