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
import { statusByDates } from '#values/dated-status.ts';
import { discountRules } from './discount.rules.ts';

export type SwitchDiscount =
  | { readonly type: 'ActivateDiscount' }
  | { readonly type: 'DeactivateDiscount' }
  /** Gives a rule that is switched on the status that its dates ask for by now. */
  | { readonly type: 'FollowDiscountDates' };

const { DiscountActivated, DiscountDeactivated, DiscountExpired } = discount.events.create;

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

type Known = Pick<Extract<EntityState<Discount>, { status: 'present' }>, 'fields'>;

const named = ({ name, code, category }: Discount) => ({ name, code, category });

const activate = ({ fields }: Known, at: string): DiscountEvent[] => {
  const status = statusByDates(fields, at);
  return fields.status === status ? [] : [DiscountActivated({ status, ...named(fields), at })];
};

const deactivate = ({ fields }: Known, at: string): DiscountEvent[] =>
  fields.status === 'Disabled' ? [] : [DiscountDeactivated({ ...named(fields), at })];

const followDates = ({ fields }: Known, at: string): DiscountEvent[] => {
  if (fields.status !== 'Active' && fields.status !== 'Scheduled') return [];
  return statusByDates(fields, at) === 'Expired'
    ? [DiscountExpired({ ...named(fields), at })]
    : activate({ fields }, at);
};

const switchTo = {
  ActivateDiscount: activate,
  DeactivateDiscount: deactivate,
  FollowDiscountDates: followDates,
} satisfies Record<SwitchDiscount['type'], unknown>;

const isSwitch = (command: { readonly type: string }): command is SwitchDiscount => command.type in switchTo;

/** Discount rules. What takes them off a basket is in pricing, who may use them how often is their usage's. */
export const discountDecider: Decider<
  EntityState<Discount>,
  EntityCommand<Discount, NewDiscount> | SwitchDiscount,
  DiscountEvent,
  EntityContext<Discount>
> = {
  ...entity,
  decide: (state, command, context) => {
    if (!isSwitch(command)) return entity.decide(state, command, context);
    if (state.status !== 'present') throw notFound('discount');
    return switchTo[command.type](state, context.at);
  },
};
