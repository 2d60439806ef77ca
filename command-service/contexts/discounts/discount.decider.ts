import { discount, type Discount, type DiscountEvent, type NewDiscount } from '#entities/discount.entity.ts';
import type { Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  notFound,
  problemsOf,
  type EntityCommand,
  type EntityContext,
  type EntityDefinition,
  type EntityState,
} from '#kernel/entity.ts';
import { discountRules } from './discount.rules.ts';

export type SwitchDiscount = { readonly type: 'ActivateDiscount' } | { readonly type: 'DeactivateDiscount' };

const { DiscountActivated, DiscountDeactivated } = discount.events.create;

/**
 * What a rule's dates make of its status (docs/rules/discounts.md#status). Instants are ISO texts in UTC: they compare.
 */
export const statusByDates = (
  { startsAt, endsAt }: Pick<Discount, 'startsAt' | 'endsAt'>,
  at: string,
): Discount['status'] => {
  if (startsAt > at) return 'Scheduled';
  return endsAt !== null && endsAt < at ? 'Expired' : 'Active';
};

const isSwitchedOff = ({ status }: Discount): boolean => status === 'Draft' || status === 'Disabled';

const entity = entityDecider<Discount, DiscountEvent, NewDiscount>({
  ...(discount as EntityDefinition<Discount, DiscountEvent>),
  complete: (given, at) => {
    const { startsAt = at, endsAt } = given;
    const status = given.status === 'Draft' ? 'Draft' : statusByDates({ startsAt, endsAt }, at);
    return { ...given, startsAt, status };
  },
  settle: (changed, before, at) => {
    const isDraft = changed.status === 'Draft' || isSwitchedOff(before);
    return { ...changed, status: isDraft ? changed.status : statusByDates(changed, at) };
  },
});

/** What is wrong with those of the fields that are there. */
export const discountProblems = (given: Partial<Discount>): readonly string[] =>
  problemsOf(discountRules, given);

type Known = Extract<EntityState<Discount>, { status: 'present' }>;

const activate = ({ fields }: Known, at: string): DiscountEvent[] => {
  const status = statusByDates(fields, at);
  return fields.status === status ? [] : [DiscountActivated({ status, at })];
};

const deactivate = ({ fields }: Known, at: string): DiscountEvent[] =>
  fields.status === 'Disabled' ? [] : [DiscountDeactivated({ at })];

/** Discount rules. What takes them off a basket is in pricing, who may use them how often is their usage's. */
export const discountDecider: Decider<
  EntityState<Discount>,
  EntityCommand<Discount, NewDiscount> | SwitchDiscount,
  DiscountEvent,
  EntityContext<Discount>
> = {
  ...entity,
  decide: (state, command, context) => {
    if (command.type !== 'ActivateDiscount' && command.type !== 'DeactivateDiscount')
      return entity.decide(state, command, context);
    if (state.status !== 'present') throw notFound('discount');
    return command.type === 'ActivateDiscount' ? activate(state, context.at) : deactivate(state, context.at);
  },
};
