import type { ShipmentCommand } from '#command/contexts/invoices/fulfilment/shipment.commands.ts';
import type { ShipmentStatus } from '#values/shipment-transitions.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { idNamed } from './basket.ts';

/** Commands about the shipments of `mugOrder`s. */
export const pack = (name: string, quantity: number, order = 'order'): ShipmentCommand => ({
  type: 'CreateShipment',
  shipmentId: idNamed(name),
  orderId: idNamed(order),
  lines: [{ lineId: idNamed(`line ${order}`), quantity }],
  by: 'mary',
});
export const setShipment = (name: string, newStatus: ShipmentStatus): ShipmentCommand => ({
  type: 'SetShipmentStatus',
  shipmentId: idNamed(name),
  newStatus,
});
export const removeShipment = (name: string): ShipmentCommand => ({
  type: 'DeleteShipment',
  shipmentId: idNamed(name),
  by: 'mary',
});
export const moveOrder = (status: OrderStatus, order = 'order'): ShipmentCommand => ({
  type: 'MoveOrder',
  orderId: idNamed(order),
  status,
  by: 'mary',
});
