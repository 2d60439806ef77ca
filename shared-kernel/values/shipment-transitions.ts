/** Where a shipment may stand (docs/rules/shipments.md#statuses). */
export const shipmentStatuses = ['Preparing', 'Shipped', 'Delivered', 'Cancelled'] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

const allowed: Readonly<Record<ShipmentStatus, readonly ShipmentStatus[]>> = {
  Preparing: ['Shipped', 'Cancelled'],
  Shipped: ['Delivered', 'Cancelled'],
  Delivered: [],
  Cancelled: [],
};

/** Whether a shipment may go from one status to another; to where it is already, always. */
export const canMoveShipment = (from: ShipmentStatus, to: ShipmentStatus): boolean =>
  from === to || allowed[from].includes(to);
