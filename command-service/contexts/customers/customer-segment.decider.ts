import {
  customerSegment,
  type CustomerSegment,
  type CustomerSegmentEvent,
} from '#entities/customer-segment.entity.ts';
import type { Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  rulesOn,
  type EntityCommand,
  type EntityContext,
  type EntityDefinition,
  type EntityState,
} from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';

const rule = rulesOn<CustomerSegment>();

/** What a segment must be as a whole. */
export const customerSegmentRules = [
  rule(['segmentType', 'criteria'], ({ segmentType, criteria }) =>
    segmentType === 'Manual' && criteria.length > 0 ? ['criteria: must be empty for a Manual segment'] : [],
  ),
];

const entity = entityDecider<CustomerSegment, CustomerSegmentEvent>(
  customerSegment as EntityDefinition<CustomerSegment, CustomerSegmentEvent>,
);

type State = EntityState<CustomerSegment>;

/** Segments of customers (docs/rules/customers.md#segments). Who belongs to one is in `customer-segments.ts`. */
export const customerSegmentDecider: Decider<
  State,
  EntityCommand<CustomerSegment>,
  CustomerSegmentEvent,
  EntityContext<CustomerSegment>
> = {
  ...entity,
  decide: (state, command, context) => {
    if (command.type === 'Delete' && state.status === 'present' && state.fields.isSystemSegment)
      throw new Rejection('still-used', 'This customer segment is part of the shop and cannot be deleted.');
    return entity.decide(state, command, context);
  },
};
