import type { AmendedAdjustment, AmendedEvent } from '#events/agent-order.events.ts';
import type { InvoiceContent, OrderLine, OrderStatus } from '#events/invoice.fields.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { Document } from '#kernel/projection.ts';
import type { Address } from '#values/address.ts';
import type { Minor } from '#values/money.ts';

/** A line that the order has, or had: what edits have taken out stays listed. */
export interface ListedLine {
  /** As it was last. */
  readonly line: OrderLine;
  /** Units that were sold at first; 0 of what an edit has added. */
  readonly sold: number;
}

/** Units of lines of the invoice. */
export interface LineUnits {
  readonly lineId: string;
  readonly quantity: number;
  /** Where they begin among all units of their line of the basket; left out: where those of `lineId` do. */
  readonly from?: number;
}

/** What became of a shipment, one after the other. */
export interface ShippingEvent {
  readonly id: string;
  readonly shipmentId: string;
  readonly type: 'processing' | 'shipped' | 'delivered' | 'canceled';
  /** ISO instant. */
  readonly at: string;
  readonly lines: readonly ShipmentLine[];
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
}

/** What has changed about an order that was placed, beside its shipments. */
export interface OrderAdjustment {
  readonly id: string;
  readonly type: 'refund' | 'cancellation' | 'dispute' | 'edit';
  /** ISO instant. */
  readonly at: string;
  readonly status: 'pending' | 'completed' | 'failed';
  /** Signed: negative takes units away. */
  readonly lines: readonly LineUnits[];
  /** Minor units of the invoice's currency, signed: negative goes to the buyer. Null: no money. */
  readonly amount: Minor | null;
}

/** By their ids. */
export interface Amendments {
  readonly events: Readonly<Record<string, AmendedEvent>>;
  readonly adjustments: Readonly<Record<string, AmendedAdjustment>>;
}

export const noAmendments: Amendments = { events: {}, adjustments: {} };

/** An order that an agent placed: its invoice, with what became of it. */
export interface AgentOrderDocument extends Document {
  readonly invoiceNumber: string;
  /** Address of the agent's profile. */
  readonly agent: string | null;
  readonly sessionId: string | null;
  /** As edits have left it. */
  readonly content: InvoiceContent;
  readonly lines: readonly ListedLine[];
  /** Null once forgotten. */
  readonly shippingAddress: Address | null;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  readonly isConfirmed: boolean;
  readonly shipments: readonly Shipment[];
  readonly events: readonly ShippingEvent[];
  readonly adjustments: readonly OrderAdjustment[];
  /** What a test has said of it. */
  readonly amended: Amendments;
}
