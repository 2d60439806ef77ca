import { discount, type Discount, type DiscountEvent, type NewDiscount } from '#entities/discount.entity.ts';
import type { Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  notFound,
  problemsOf,
  rulesOn,
  type EntityCommand,
  type EntityContext,
  type EntityDefinition,
  type EntityState,
} from '#kernel/entity.ts';

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
    const { startsAt = at } = given;
    return { ...given, startsAt, status: statusByDates({ startsAt, endsAt: null }, at) };
  },
  settle: (changed, before, at) => ({
    ...changed,
    status: isSwitchedOff(before) ? before.status : statusByDates(changed, at),
  }),
});

const rule = rulesOn<Discount>();

const supported = <Name extends 'category' | 'method' | 'valueType'>(name: Name, only: Discount[Name]) =>
  rule([name], (given) =>
    given[name] === only ? [] : [`${name}: ${only} was expected, ${given[name]} does not exist yet`],
  );

/** Kept, but no price follows it yet: refused, so that nobody relies on it (docs/rules/discounts.md). */
const notYet = <
  Name extends 'applyAfterTax' | 'targetRules' | 'eligibilityRules' | 'buyXGetY' | 'freeShipping',
>(
  name: Name,
  isUsed: (value: Discount[Name]) => boolean,
) =>
  rule([name], (given) =>
    isUsed(given[name] as Discount[Name]) ? [`${name}: ${name} cannot be used yet`] : [],
  );

/** What a rule must be as a whole (docs/rules/discounts.md). */
export const discountRules = [
  notYet('applyAfterTax', (isAfterTax) => isAfterTax),
  notYet('targetRules', (targets) => targets.length > 0),
  notYet('eligibilityRules', (eligible) => eligible.length > 0),
  notYet('buyXGetY', (config) => config !== null),
  notYet('freeShipping', (config) => config !== null),
  supported('category', 'AmountOffOrder'),
  supported('method', 'Code'),
  supported('valueType', 'Percentage'),
  rule(['method', 'code'], ({ method, code }) =>
    method === 'Code' && code === null ? ['code: a code was expected'] : [],
  ),
  rule(['valueType', 'value'], ({ value }) => [
    ...(value <= 0 || value > 100 ? ['value: a percentage above 0 and up to 100 was expected'] : []),
    ...(Math.abs(value * 10_000 - Math.round(value * 10_000)) > 1e-6
      ? ['value: a percentage with at most 4 decimals was expected']
      : []),
  ]),
  rule(['startsAt', 'endsAt'], ({ startsAt, endsAt }) =>
    endsAt !== null && endsAt < startsAt ? ['endsAt: not before startsAt was expected'] : [],
  ),
  rule(['requirementType', 'requirementValue'], ({ requirementType, requirementValue }) =>
    requirementType !== 'None' && requirementValue === null
      ? [`requirementValue: what ${requirementType} asks for was expected`]
      : [],
  ),
];

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
