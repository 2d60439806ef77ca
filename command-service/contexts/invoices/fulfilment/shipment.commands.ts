import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { ProviderWord } from './fulfilments.state.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** What is null or omitted stays as it is. */
export interface Tracking {
  readonly carrier?: string | null | undefined;
  readonly trackingNumber?: string | null | undefined;
  readonly trackingUrl?: string | null | undefined;
}

/** Packs units of an order. The caller's id identifies a repeat. */
export interface CreateShipment extends Tracking {
  readonly type: 'CreateShipment';
  readonly shipmentId: string;
  readonly orderId: string;
  /** Null: everything left. */
  readonly lines: readonly ShipmentLine[] | null;
  readonly providerShipmentId?: string;
  /** A provider has sent it already: an excess is cut to what is left and noted rather than refused. */
  readonly isCut?: true;
  readonly by: string;
}

export interface ChangeShipment extends Tracking {
  readonly type: 'ChangeShipment';
  readonly shipmentId: string;
  /** ISO instant. */
  readonly actualDeliveryDate?: string | null | undefined;
}

export interface SetShipmentStatus extends Tracking {
  readonly type: 'SetShipmentStatus';
  readonly shipmentId: string;
  readonly newStatus: ShipmentStatus;
  /** A shipped part ends only the provider's own hold on the rest of the order. */
  readonly isByProvider?: true;
}

export interface DeleteShipment {
  readonly type: 'DeleteShipment';
  readonly shipmentId: string;
  readonly by: string;
}

/** Moves an order for staff or a provider. Before Shipped and Completed, everything left is shipped. */
export interface MoveOrder extends Tracking {
  readonly type: 'MoveOrder';
  readonly orderId: string;
  readonly status: OrderStatus;
  readonly reason?: string | undefined;
  /** The provider's word, recorded in the same append as the move. */
  readonly said?: ProviderWord;
  readonly by: string;
}

/** The stock has followed these moves. */
export interface NoteFollowedStock {
  readonly type: 'NoteFollowedStock';
  readonly moveIds: readonly string[];
}

export type ShipmentCommand =
  | CreateShipment
  | ChangeShipment
  | SetShipmentStatus
  | DeleteShipment
  | MoveOrder
  | NoteFollowedStock;

/** The invoice after a command, and its position in the log. */
export interface ShippedInvoice {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  /** False if nothing changed. */
  readonly isNews: boolean;
  readonly position: number;
}

export interface ShippedShipment extends ShippedInvoice {
  readonly shipment: Shipment;
}

/**
 * Shipments and orders by their own ids, for staff and fulfilment providers. Every call is safe to repeat and returns
 * once stock has followed. Errors of all: `entity-not-found`, also for a deleted invoice.
 */
export interface OrderShipmentsApi {
  /** The invoice of an order, shipment, payment, refund or download link; null if unknown. */
  invoiceOf(id: string): Promise<string | null>;
  /** Errors: `invalid-request`, `sale-not-confirmed`, `invoice-cancelled`. */
  createShipment(command: Omit<CreateShipment, 'type' | 'by'>, meta: CommandMeta): Promise<ShippedShipment>;
  changeShipment(command: Omit<ChangeShipment, 'type'>, meta: CommandMeta): Promise<ShippedShipment>;
  /** Errors: `status-not-possible`. */
  setShipmentStatus(command: Omit<SetShipmentStatus, 'type'>, meta: CommandMeta): Promise<ShippedShipment>;
  /** Errors: `status-not-possible`, `sale-not-confirmed`, `invoice-cancelled`, `payment-unknown`. */
  moveOrder(command: Omit<MoveOrder, 'type' | 'by'>, meta: CommandMeta): Promise<ShippedInvoice>;
}
