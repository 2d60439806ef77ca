import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Recorded } from '#kernel/event.ts';

type Units = ReadonlyMap<string, number>;

interface Sent {
  readonly orderId: string;
  readonly lines: readonly { readonly lineId: string; readonly quantity: number }[];
}

/** What has left with the shipments of an invoice, by its events alone. */
export class ShippedGoods {
  /** Those that are not cancelled. */
  readonly #standing = new Map<string, Sent>();
  readonly #cancelledOrders = new Set<string>();

  take({ type, data }: Recorded<InvoiceEvent>): void {
    switch (type) {
      case 'ShipmentCreated':
        this.#standing.set(data.shipmentId, data);
        break;
      case 'ShipmentStatusChanged':
        if (data.to === 'Cancelled') this.#standing.delete(data.shipmentId);
        break;
      case 'ShipmentDeleted':
        this.#standing.delete(data.shipmentId);
        break;
      case 'OrderStatusChanged':
        if (data.to === 'Cancelled') this.#cancelledOrders.add(data.orderId);
        break;
      default:
        break;
    }
  }

  #of(
    content: InvoiceContent,
    count: (lineId: string, quantity: number, isCancelled: boolean) => number,
  ): Units {
    const units = new Map<string, number>();
    for (const { orderId, warehouseId, lines } of content.orders) {
      for (const { id, productId, quantity } of lines) {
        if (productId === null || warehouseId === null) continue;
        const key = `${productId} in ${warehouseId}`;
        const some = count(id, quantity, this.#cancelledOrders.has(orderId));
        if (some > 0) units.set(key, (units.get(key) ?? 0) + some);
      }
    }
    return units;
  }

  #sent(lineId: string): number {
    return [...this.#standing.values()]
      .flatMap(({ lines }) => lines)
      .filter((line) => line.lineId === lineId)
      .reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** What left each row. */
  left(content: InvoiceContent): Units {
    return this.#of(content, (lineId) => this.#sent(lineId));
  }

  /** What is reserved in each row still, of an invoice that stands. */
  owed(content: InvoiceContent): Units {
    return this.#of(content, (lineId, quantity, isCancelled) =>
      isCancelled ? 0 : quantity - this.#sent(lineId),
    );
  }
}
