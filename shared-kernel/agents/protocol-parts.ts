/** A word to the agent, beside what it asked for. */
export interface ProtocolMessage {
  readonly type: 'error' | 'warning' | 'info';
  readonly code: string;
  readonly content: string;
  /** JSONPath of what it is about. */
  readonly path?: string;
  /** Of errors. Default: recoverable. */
  readonly severity?: Severity;
}

export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable';

/** Amounts are in minor units of the answer's currency. Signed: what lowers the sum is negative. */
export interface ProtocolTotal {
  readonly type: 'subtotal' | 'items_discount' | 'discount' | 'fulfillment' | 'tax' | 'fee' | 'total';
  readonly amount: number;
  readonly displayText?: string;
}

export interface ChosenOption {
  readonly name: string;
  readonly label: string;
}

export interface ProtocolItem {
  /** The identifier by which the agent asked for it. */
  readonly id: string;
  readonly title: string;
  /** Of one unit, before discounts. */
  readonly price: number;
  readonly imageUrl?: string;
}

export interface ProtocolLine {
  readonly id: string;
  readonly item: ProtocolItem;
  readonly quantity: number;
  readonly totals: readonly ProtocolTotal[];
  readonly options?: readonly ChosenOption[];
  readonly parentId?: string;
}

/** An address in the shop's own names. `further` are members that the agent sent and gets back. */
export interface ProtocolAddress {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly addressOne?: string;
  readonly addressTwo?: string;
  readonly townCity?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly countryCode?: string;
  readonly phone?: string;
  readonly further?: Readonly<Record<string, unknown>>;
}

export interface ProtocolDestination extends ProtocolAddress {
  readonly id: string;
}

export interface BuyerConsent {
  readonly analytics?: boolean;
  readonly preferences?: boolean;
  readonly marketing?: boolean;
  readonly saleOfData?: boolean;
}

export interface ProtocolBuyer {
  readonly firstName?: string;
  readonly lastName?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly consent?: BuyerConsent;
  /** Members that the agent sent and gets back. */
  readonly further?: Readonly<Record<string, unknown>>;
}

export interface AppliedDiscount {
  /** In the shop's spelling; left out for an automatic one. */
  readonly code?: string;
  readonly title: string;
  /** Positive. */
  readonly amount: number;
  readonly isAutomatic: boolean;
  readonly method: 'each' | 'across';
  /** Rank in which it was applied, from 1. */
  readonly priority: number;
  readonly allocations: readonly { readonly path: string; readonly amount: number }[];
}

export interface ProtocolDiscounts {
  /** As submitted. */
  readonly codes: readonly string[];
  readonly applied: readonly AppliedDiscount[];
}

export interface ProtocolLink {
  readonly type: 'terms_of_service' | 'privacy_policy';
  readonly url: string;
}

/** The names of the capabilities that an answer lists: roots and extensions. */
export type CapabilityName =
  | 'dev.ucp.shopping.checkout'
  | 'dev.ucp.shopping.order'
  | 'dev.ucp.shopping.cart'
  | 'dev.ucp.shopping.catalog.search'
  | 'dev.ucp.shopping.catalog.lookup'
  | 'dev.ucp.shopping.discount'
  | 'dev.ucp.shopping.fulfillment'
  | 'dev.ucp.shopping.buyer_consent'
  | 'dev.ucp.shopping.ap2_mandate'
  | 'dev.ucp.common.identity_linking';

/** Every answer says what it rests on. */
export interface ProtocolEnvelope {
  readonly capabilities: readonly CapabilityName[];
}
