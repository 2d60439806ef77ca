import type { Kind, Sources } from '#command/engine/streams.ts';
import { customerSegment } from '#entities/customer-segment.entity.ts';
import type { CreationEvent, CustomerEvent } from '#events/customer.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { CustomerCommand } from './customer.commands.ts';
import { customerDecider, type CustomerContext } from './customer.decider.ts';
import type { CustomerState } from './customer.state.ts';

const contextOf =
  ({ clock, settings, reference, neighbours }: Sources, { type }: CustomerCommand, id: string) =>
  (): CustomerContext => ({
    at: isoInstant(clock.now()),
    timeZone: settings().reportingTimeZone,
    isSegment: (segmentId) => reference.entities.has(customerSegment.category, segmentId),
    unpaidInvoices: type === 'DeleteCustomer' ? neighbours.orders.countUnpaidOf(id) : 0,
  });

/** Customers, as processes and other contexts command them. */
export const customerStream = {
  decider: customerDecider,
  context: contextOf,
  ends: ({ type }) => type === 'NoteExpiredInvoice',
} satisfies Kind<CustomerState, CustomerCommand, CustomerEvent | CreationEvent, CustomerContext>;
