import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { ShipmentLine } from '#events/shipment.shapes.ts';
import type { Shipment } from '#events/shipment-view.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { ProviderWord } from './fulfilments.state.ts';
import type { KnownInvoice } from '../invoice.state.ts';

/** As far as it is known; what is null or left out stays as it is. */
export interface Tracking {
  readonly carrier?: string | null | undefined;
  readonly trackingNumber?: string | null | undefined;
  readonly trackingUrl?: string | null | undefined;
}

/** Packs units of an order; the id is the caller's, and is how a repeat is recognised. */
export interface CreateShipment extends Tracking {
  readonly type: 'CreateShipment';
  readonly shipmentId: string;
  readonly orderId: string;
  /** Null: everything that is left. */
  readonly lines: readonly ShipmentLine[] | null;
  readonly providerShipmentId?: string;
  /** More than is left is cut to that and noted, not refused: a provider has sent it already. */
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
  /** A part that has left takes the rest of its order off no hold but the provider's own. */
  readonly isByProvider?: true;
}

export interface DeleteShipment {
  readonly type: 'DeleteShipment';
  readonly shipmentId: string;
  readonly by: string;
}

/** Moves an order by hand, or by word of a provider. To Shipped or Completed, what is left is shipped first. */
export interface MoveOrder extends Tracking {
  readonly type: 'MoveOrder';
  readonly orderId: string;
  readonly status: OrderStatus;
  readonly reason?: string | undefined;
  /** What its provider said; recorded with the move, so that neither is ever seen alone. */
  readonly said?: ProviderWord;
  readonly by: string;
}

/** The stock has followed these moves. */
export interface NoteFollowedStock {
  readonly type: 'NoteFollowedStock';
  readonly moveIds: readonly string[];
}

export type ShipmentCommand =
  CreateShipment | ChangeShipment | SetShipmentStatus | DeleteShipment | MoveOrder | NoteFollowedStock;

/** What has come of a command: the invoice after it, and where in the log that stands. */
export interface ShippedInvoice {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  /** Nothing has changed: it was so before. */
  readonly isNews: boolean;
  readonly position: number;
}

export interface ShippedShipment extends ShippedInvoice {
  readonly shipment: Shipment;
}

/**
 * Shipments and orders by their own ids, for staff and for fulfilment providers. Each is harmless when it is repeated.
 * The stock has followed once it returns. Errors of all: `entity-not-found`, also where the invoice is deleted.
 */
export interface OrderShipmentsApi {
  /** The invoice of an order, shipment, payment, refund or download link; null: unknown. */
  invoiceOf(id: string): Promise<string | null>;
  /** Errors: `invalid-request`, `sale-not-confirmed`, `invoice-cancelled`. */
  createShipment(command: Omit<CreateShipment, 'type' | 'by'>, meta: CommandMeta): Promise<ShippedShipment>;
  changeShipment(command: Omit<ChangeShipment, 'type'>, meta: CommandMeta): Promise<ShippedShipment>;
  /** Errors: `status-not-possible`. */
  setShipmentStatus(command: Omit<SetShipmentStatus, 'type'>, meta: CommandMeta): Promise<ShippedShipment>;
  /** Errors: `status-not-possible`, `sale-not-confirmed`, `invoice-cancelled`, `payment-unknown`. */
  moveOrder(command: Omit<MoveOrder, 'type' | 'by'>, meta: CommandMeta): Promise<ShippedInvoice>;
}
