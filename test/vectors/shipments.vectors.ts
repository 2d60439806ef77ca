import type { InvoiceEvent } from '#events/invoice.events.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown, type InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import type { ShipmentCommand } from '#command/contexts/invoices/fulfilment/shipment.commands.ts';
import { evolve } from '#kernel/evolution.ts';
import { canMoveShipment, shipmentStatuses, type ShipmentStatus } from '#values/shipment-transitions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice } from '#test/support/builders/invoice.ts';
import { moveOrder, pack, removeShipment, setShipment } from '#test/support/builders/shipment.ts';
import { table } from './vector.ts';

/** Where a shipment can go from a status. */
const goesTo = (from: ShipmentStatus): string => {
  const open = shipmentStatuses.filter((to) => to !== from && canMoveShipment(from, to));
  return open.length === 0 ? 'nothing' : open.join(', ');
};

export const shipmentTransitions = table(
  'Where can a shipment go?',
  'docs/rules/shipments.md#statuses',
  goesTo,
  [
    ['from Preparing', 'Shipped, Cancelled', 'Preparing'],
    ['from Shipped', 'Delivered, Cancelled', 'Shipped'],
    ['from Delivered', 'nothing', 'Delivered'],
    ['from Cancelled', 'nothing', 'Cancelled'],
  ],
);

const context = decidedAt('2026-03-02T09:00:00.000Z');
const mugs = invoice('mugs');

/** Where an order of two mugs, paid, stands after these commands. */
const orderAfter = (...commands: readonly ShipmentCommand[]): string => {
  let state: InvoiceState = invoiceDecider.initial();
  const take = (events: readonly InvoiceEvent[]): void => {
    for (const event of events) state = evolve(invoiceDecider.on, state, event);
  };
  take([mugs.placed, mugs.captured(), mugs.moved('ReadyToFulfill'), mugs.confirmed()]);
  for (const command of commands) take(invoiceDecider.decide(state, command, context));
  return isKnown(state) ? (state.orderStatuses[idNamed('order')] ?? '') : '';
};

const one = pack('one', 1);
const two = pack('two', 1);
const all = pack('all', 2);
const shipped = (name: string) => setShipment(name, 'Shipped');
const delivered = (name: string) => setShipment(name, 'Delivered');

export const ordersByShipments = table(
  'Where does a paid order of two pieces stand?',
  'docs/rules/shipments.md#what-becomes-of-the-order',
  orderAfter,
  [
    ['nothing packed', 'ReadyToFulfill'],
    ['one packed', 'Processing', one],
    ['one shipped', 'PartiallyShipped', one, shipped('one')],
    ['one shipped, one packed', 'PartiallyShipped', one, shipped('one'), two],
    ['one delivered, one shipped', 'Shipped', one, shipped('one'), delivered('one'), two, shipped('two')],
    ['both shipped', 'Shipped', all, shipped('all')],
    ['both delivered', 'Completed', all, shipped('all'), delivered('all')],
    ['both packed, deleted', 'ReadyToFulfill', all, removeShipment('all')],
    ['both shipped, deleted', 'ReadyToFulfill', all, shipped('all'), removeShipment('all')],
    [
      'one shipped, one packed, the first deleted',
      'Processing',
      one,
      shipped('one'),
      two,
      removeShipment('one'),
    ],
    ['both shipped, cancelled', 'ReadyToFulfill', all, shipped('all'), setShipment('all', 'Cancelled')],
    ['on hold, one shipped', 'PartiallyShipped', moveOrder('OnHold'), one, shipped('one')],
    ['both packed, on hold, deleted', 'OnHold', all, moveOrder('OnHold'), removeShipment('all')],
    ['completed by hand', 'Completed', moveOrder('Completed')],
    ['one packed, cancelled by hand', 'Cancelled', one, moveOrder('Cancelled')],
  ],
);
