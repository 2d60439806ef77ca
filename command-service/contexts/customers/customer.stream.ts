import type { ShopStream, Sources, Streams } from '#command/engine/streams.ts';
import { unknownAmong } from '#command/engine/unknown-resources.ts';
import { customerSegment } from '#entities/customer-segment.entity.ts';
import type { DiscountRule } from '#entities/discount.entity.ts';
import type { CreationEvent, CustomerEvent } from '#events/customer.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { to } from '#kernel/stream.ts';
import type { CustomerCommand } from './customer.commands.ts';
import { customerDecider, type CustomerContext } from './customer.decider.ts';
import type { CustomerState } from './customer.state.ts';
import type { Reference } from '#reference/reference.ts';

const contextOf =
  ({ clock, settings, reference, apis }: Sources, { type }: CustomerCommand, id: string) =>
  (): CustomerContext => ({
    at: isoInstant(clock.now()),
    timeZone: settings().reportingTimeZone,
    isSegment: (segmentId) => reference.entities.has(customerSegment.category, segmentId),
    unpaidInvoices: type === 'DeleteCustomer' ? apis.orders.countUnpaidOf(id) : 0,
  });

/** Customers, as processes and other contexts command them. */
export const customerStream = {
  decider: customerDecider,
  context: contextOf,
  ends: ({ type }) => type === 'NoteExpiredInvoice',
} satisfies ShopStream<CustomerState, CustomerCommand, CustomerEvent | CreationEvent, CustomerContext>;

/** A command to the customer of a sale: nothing where it has none (docs/rules/orders.md#without-a-customer). */
export const toCustomer = (customerId: string | null, command: CustomerCommand) =>
  customerId === null ? [] : [to(customerStream, customerId, command)];

/** Customers and segments that a rule is for and the shop does not have, as `path: what was expected`. */
export const unknownBuyers = async (
  { reference, streams }: { readonly reference: Reference; readonly streams: Streams },
  { eligibilityType, ids }: DiscountRule['eligibilityRules'][number],
  path: string,
): Promise<readonly string[]> => {
  if (eligibilityType === 'CustomerSegments') {
    const { entities } = reference;
    return unknownAmong(ids, path, 'customer segment', (id) => entities.has(customerSegment.category, id));
  }
  // Customers are too many to be kept in memory: their streams are asked.
  const states = await Promise.all(ids.map((id) => streams.load(customerStream, id)));
  const there = new Set(ids.filter((_, index) => states[index]?.state.status === 'known'));
  return unknownAmong(ids, path, 'customer', (id) => there.has(id));
};
