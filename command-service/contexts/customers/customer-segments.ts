import type { CommandDeps } from '#command/engine/service-deps.ts';
import { customerSegment, type CustomerSegment } from '#entities/customer-segment.entity.ts';
import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import { upsellRule } from '#entities/upsell-rule.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { belongsTo } from '#values/customer-segments.ts';
import type { CustomersApi } from './customer.commands.ts';
import { factsOf } from './customer.state.ts';
import { customerStream } from './customer.stream.ts';

/**
 * The discounts and upsell rules that are for a segment, in words: it cannot be deleted. Every rule is looked at, as
 * this is rare.
 */
export const rulesAbout = (segmentId: string, reference: Pick<Reference, 'entities'>): readonly string[] =>
  [discount, upsellRule].flatMap(({ category, noun }) =>
    [...reference.entities.all(category).values()]
      .map((fields) => fields as unknown as Pick<DiscountRule, 'name' | 'eligibilityRules'>)
      .filter(({ eligibilityRules }) =>
        eligibilityRules.some(
          ({ eligibilityType, ids }) => eligibilityType === 'CustomerSegments' && ids.includes(segmentId),
        ),
      )
      .map(({ name }) => `the ${noun} ${name}`),
  );

/** From the customer's own stream, which the engine keeps, and the shop's segments: nothing is searched for. */
export const segmentsOf =
  ({
    streams,
    reference,
    clock,
  }: Pick<CommandDeps, 'streams' | 'reference' | 'clock'>): CustomersApi['segmentsOf'] =>
  async (customerId) => {
    const facts = factsOf((await streams.load(customerStream, customerId)).state);
    if (facts === null) return [];
    const segments = reference.entities.all(customerSegment.category).entries();
    return [...segments]
      .filter(([id, segment]) => belongsTo(id, segment as unknown as CustomerSegment, facts, clock.now()))
      .map(([id]) => id)
      .sort();
  };
