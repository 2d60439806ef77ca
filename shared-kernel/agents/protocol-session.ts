import type {
  ProtocolBuyer,
  ProtocolDestination,
  ProtocolDiscounts,
  ProtocolEnvelope,
  ProtocolLine,
  ProtocolLink,
  ProtocolMessage,
  ProtocolTotal,
} from './protocol-parts.ts';

export type SessionLifecycle = 'active' | 'completed' | 'cancelled' | 'expired';
export type SessionStatus =
  | 'incomplete'
  | 'requires_escalation'
  | 'ready_for_complete'
  | 'complete_in_progress'
  | 'completed'
  | 'canceled';

export interface FulfilmentOption {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly carrier?: string;
  readonly earliestTime?: string;
  readonly latestTime?: string;
  readonly totals: readonly ProtocolTotal[];
}

export interface FulfilmentGroup {
  readonly id: string;
  readonly lineIds: readonly string[];
  readonly options: readonly FulfilmentOption[];
  readonly selectedOptionId: string | null;
}

export interface FulfilmentMethod {
  readonly id: string;
  readonly type: 'shipping';
  readonly lineIds: readonly string[];
  /** Null: the member is left out. */
  readonly destinations: readonly ProtocolDestination[] | null;
  readonly selectedDestinationId: string | null;
  readonly groups: readonly FulfilmentGroup[] | null;
}

/** A way to pay that the agent may use. */
export interface PaymentHandler {
  readonly id: string;
  /** Reverse-domain form. */
  readonly name: string;
  /** Null: the dialect's own. */
  readonly version: string | null;
  readonly specUrl: string;
  readonly schemaUrl: string;
  readonly instruments: readonly {
    readonly type: string;
    readonly constraints?: Readonly<Record<string, unknown>>;
  }[];
  /** Public values only. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Without its credential. */
export interface PaymentInstrument {
  readonly id: string;
  readonly handlerId: string;
  readonly type: string;
  readonly brand?: string;
  readonly lastDigits?: string;
  readonly isSelected: boolean;
  readonly display?: Readonly<Record<string, unknown>>;
}

/** A checkout session, before a dialect writes it. Instants are RFC 3339 in UTC. */
export interface ProtocolSession extends ProtocolEnvelope {
  readonly id: string;
  readonly lifecycle: SessionLifecycle;
  readonly status: SessionStatus;
  readonly currency: string;
  readonly lines: readonly ProtocolLine[];
  readonly buyer: ProtocolBuyer | null;
  readonly totals: readonly ProtocolTotal[];
  readonly messages: readonly ProtocolMessage[];
  readonly links: readonly ProtocolLink[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string;
  /** Null in final states. */
  readonly continueUrl: string | null;
  readonly payment: {
    readonly handlers: readonly PaymentHandler[];
    readonly instruments: readonly PaymentInstrument[];
  };
  /** Null: the member is left out. */
  readonly discounts: ProtocolDiscounts | null;
  readonly fulfilment: { readonly methods: readonly FulfilmentMethod[] } | null;
  /** Once it is completed. */
  readonly order: {
    readonly id: string;
    readonly permalinkUrl: string;
    readonly label: string | null;
  } | null;
  /** The shop's signature on the rest of the answer, in its dialect, where mandates are used. */
  readonly merchantAuthorization?: string;
}
