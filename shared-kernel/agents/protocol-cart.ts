import type {
  ProtocolBuyer,
  ProtocolDiscounts,
  ProtocolEnvelope,
  ProtocolLine,
  ProtocolLink,
  ProtocolMessage,
  ProtocolTotal,
} from './protocol-parts.ts';

/** A cart, before a dialect writes it. */
export interface ProtocolCart extends ProtocolEnvelope {
  readonly id: string;
  readonly status: 'active' | 'converted' | 'cancelled' | 'expired';
  readonly currency: string;
  readonly lines: readonly ProtocolLine[];
  /** Estimates. */
  readonly totals: readonly ProtocolTotal[];
  readonly buyer: ProtocolBuyer | null;
  readonly context: Readonly<Record<string, unknown>> | null;
  readonly discounts: ProtocolDiscounts | null;
  readonly messages: readonly ProtocolMessage[];
  readonly links: readonly ProtocolLink[];
  readonly continueUrl: string | null;
  readonly expiresAt: string;
}
