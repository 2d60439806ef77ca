import type { ProtocolAddress, ProtocolEnvelope, ProtocolItem, ProtocolTotal } from './protocol-parts.ts';

export interface LineQuantity {
  readonly id: string;
  readonly quantity: number;
}

export interface OrderLine {
  readonly id: string;
  readonly item: ProtocolItem;
  readonly quantity: { readonly original: number; readonly total: number; readonly fulfilled: number };
  readonly totals: readonly ProtocolTotal[];
  readonly status: 'removed' | 'fulfilled' | 'partial' | 'processing';
}

export interface Expectation {
  readonly id: string;
  readonly lines: readonly LineQuantity[];
  readonly method: 'shipping' | 'digital';
  readonly destination: ProtocolAddress | null;
  /** The title of the chosen option. */
  readonly description: string;
}

export interface FulfilmentEvent {
  readonly id: string;
  readonly occurredAt: string;
  /** An open word: processing, shipped, in_transit, delivered, failed_attempt, canceled … */
  readonly type: string;
  readonly lines: readonly LineQuantity[];
  readonly trackingNumber?: string;
  readonly trackingUrl?: string;
  readonly carrier?: string;
  readonly description?: string;
  /** Members that a test stored with it. */
  readonly further?: Readonly<Record<string, unknown>>;
}

export interface Adjustment {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Signed quantities. */
  readonly lines: readonly LineQuantity[];
  /** Signed: negative goes to the buyer. Null: no money. */
  readonly amount: number | null;
  readonly description?: string;
  readonly further?: Readonly<Record<string, unknown>>;
}

/** An order, before a dialect writes it. */
export interface ProtocolOrder extends ProtocolEnvelope {
  readonly id: string;
  readonly checkoutId: string;
  readonly permalinkUrl: string;
  /** The invoice's number. */
  readonly label: string;
  readonly currency: string;
  readonly lines: readonly OrderLine[];
  readonly expectations: readonly Expectation[];
  readonly events: readonly FulfilmentEvent[];
  readonly adjustments: readonly Adjustment[];
  readonly totals: readonly ProtocolTotal[];
  readonly attribution: Readonly<Record<string, unknown>> | null;
}
