import { actorName } from '#kernel/event.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { notFound } from '#kernel/entity.ts';
import type { Cancellation } from '../cancellation.actions.ts';
import type { InvoiceFinder } from '../find-invoice.ts';
import type { StockMoves } from '../unpaid/follow-stock.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import type {
  ShipmentCommand,
  ShippedInvoice,
  ShippedShipment,
  OrderShipmentsApi,
} from '../../invoices/fulfilment/shipment.commands.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

interface Deps extends Pick<CommandDeps, 'streams'> {
  readonly find: InvoiceFinder['find'];
  readonly stockMoves: StockMoves;
  readonly cancellation: Cancellation;
}

/** Shipments, and where orders stand (docs/rules/shipments.md). */
export const createShipments = ({ streams, find, stockMoves, cancellation }: Deps) => {
  const invoiceOf = async (id: string, noun: 'order' | 'shipment'): Promise<string> => {
    const invoiceId = await find(id);
    if (invoiceId === null) throw notFound(noun);
    return invoiceId;
  };

  const send = async (
    invoiceId: string,
    command: ShipmentCommand,
    meta: CommandMeta,
  ): Promise<ShippedInvoice> => {
    const { state, events, position } = await streams.send(invoiceStream, invoiceId, command, meta);
    if (!isKnown(state)) throw notFound('order');
    const isClosed = events.some(({ type }) => type === 'InvoiceCancelled');
    const reached = isClosed
      ? await cancellation.finish(invoiceId, events, meta)
      : await stockMoves.resume(invoiceId, meta);
    return { invoiceId, invoice: state, isNews: events.length > 0, position: Math.max(position, reached) };
  };

  const sendTo = async (
    shipmentId: string,
    command: ShipmentCommand,
    meta: CommandMeta,
  ): Promise<ShippedShipment> => {
    const done = await send(await invoiceOf(shipmentId, 'shipment'), command, meta);
    const shipment = done.invoice.shipments.find((one) => one.shipmentId === shipmentId);
    if (!shipment) throw notFound('shipment');
    return { ...done, shipment };
  };

  return {
    invoiceOf: find,

    createShipment: async (command, meta) => {
      const { orderId, shipmentId } = command;
      const invoiceId = await invoiceOf(orderId, 'order');
      const create = { type: 'CreateShipment', ...command, by: actorName(meta.actor) } as const;
      const done = await send(invoiceId, create, meta);
      const shipment = done.invoice.shipments.find((one) => one.shipmentId === shipmentId);
      if (!shipment) throw notFound('shipment');
      return { ...done, shipment };
    },

    changeShipment: (command, meta) =>
      sendTo(command.shipmentId, { type: 'ChangeShipment', ...command }, meta),

    setShipmentStatus: (command, meta) =>
      sendTo(command.shipmentId, { type: 'SetShipmentStatus', ...command }, meta),

    /** Errors: `entity-not-found`, `status-not-possible`. */
    deleteShipment: async (shipmentId: string, meta: CommandMeta) => {
      const invoiceId = await invoiceOf(shipmentId, 'shipment');
      return send(invoiceId, { type: 'DeleteShipment', shipmentId, by: actorName(meta.actor) }, meta);
    },

    moveOrder: async (command, meta) => {
      const invoiceId = await invoiceOf(command.orderId, 'order');
      return send(invoiceId, { type: 'MoveOrder', ...command, by: actorName(meta.actor) }, meta);
    },
  } satisfies OrderShipmentsApi & Record<string, unknown>;
};

export type Shipments = ReturnType<typeof createShipments>;
