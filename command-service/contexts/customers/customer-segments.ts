import type { CommandDeps } from '#command/engine/service-deps.ts';
import { customerSegment, type CustomerSegment } from '#entities/customer-segment.entity.ts';
import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { belongsTo } from '#values/customer-segments.ts';
import type { CustomersForNeighbours } from './customer.commands.ts';
import { factsOf } from './customer.state.ts';
import { customerStream } from './customer.stream.ts';

/** The discounts that are for a segment, in words: it cannot be deleted. Every rule is looked at, as this is rare. */
export const discountsFor = (segmentId: string, reference: Pick<Reference, 'entities'>): readonly string[] =>
  [...reference.entities.all(discount.category).values()]
    .map((fields) => fields as unknown as DiscountRule)
    .filter(({ eligibilityRules }) =>
      eligibilityRules.some(
        ({ eligibilityType, ids }) => eligibilityType === 'CustomerSegments' && ids.includes(segmentId),
      ),
    )
    .map(({ name }) => `the discount ${name}`);

/** From the customer's own stream, which the engine keeps, and the shop's segments: nothing is searched for. */
export const segmentsOf =
  ({
    streams,
    reference,
    clock,
  }: Pick<CommandDeps, 'streams' | 'reference' | 'clock'>): CustomersForNeighbours['segmentsOf'] =>
  async (customerId) => {
    const facts = factsOf((await streams.load(customerStream, customerId)).state);
    if (facts === null) return [];
    const segments = reference.entities.all(customerSegment.category).entries();
    return [...segments]
      .filter(([id, segment]) => belongsTo(id, segment as unknown as CustomerSegment, facts, clock.now()))
      .map(([id]) => id)
      .sort();
  };
