import { discountEvents, type Discount, type DiscountEvent } from '#events/discount.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import {
  entityDecider,
  notFound,
  problemsOf,
  rulesOn,
  type EntityCommand,
  type EntityContext,
  type EntityState,
} from '#kernel/entity.ts';

export type DiscountCommand =
  EntityCommand<Discount> | { readonly type: 'ActivateDiscount' } | { readonly type: 'DeactivateDiscount' };

const { DiscountActivated, DiscountChanged, DiscountCreated, DiscountDeactivated, DiscountDeleted } =
  discountEvents.create;

type ChangeOfStatus = EventOfType<DiscountEvent, 'DiscountActivated' | 'DiscountDeactivated'>;

const told = ({ data }: EventOfType<DiscountEvent, 'DiscountCreated' | 'DiscountChanged'>) => ({
  fields: { ...data.rule, status: data.status },
  at: data.at,
});

const entity = entityDecider<Discount, Exclude<DiscountEvent, ChangeOfStatus>>({
  category: 'discount',
  noun: 'discount',
  created: ({ status, ...rule }, at) => DiscountCreated({ rule, status, at }),
  changed: ({ status, ...rule }, at) => DiscountChanged({ rule, status, at }),
  deleted: () => DiscountDeleted({}),
  told: { DiscountCreated: told, DiscountChanged: told, DiscountDeleted: null },
});

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

const rule = rulesOn<Discount>();

const supported = <Name extends 'category' | 'method' | 'valueType'>(name: Name, only: Discount[Name]) =>
  rule([name], (given) =>
    given[name] === only ? [] : [`${name}: ${only} was expected, ${given[name]} does not exist yet`],
  );

/** What a rule must be as a whole (docs/rules/discounts.md). */
const discountRules = [
  supported('category', 'AmountOffOrder'),
  supported('method', 'Code'),
  supported('valueType', 'Percentage'),
  rule(['method', 'code'], ({ method, code }) =>
    method === 'Code' && code === null ? ['code: a code was expected'] : [],
  ),
  rule(['value'], ({ value }) => [
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
export const discountProblems = (discount: Partial<Discount>): readonly string[] =>
  problemsOf(discountRules, discount);

type Known = Extract<EntityState<Discount>, { status: 'present' }>;

const activate = ({ fields }: Known, at: string): DiscountEvent[] => {
  const status = statusByDates(fields, at);
  return fields.status === status ? [] : [DiscountActivated({ status, at })];
};

const deactivate = ({ fields }: Known, at: string): DiscountEvent[] =>
  fields.status === 'Disabled' ? [] : [DiscountDeactivated({ at })];

const withStatus = (
  state: EntityState<Discount>,
  status: Discount['status'],
  dateUpdated: string,
): EntityState<Discount> =>
  state.status === 'present' ? { ...state, fields: { ...state.fields, status }, dateUpdated } : state;

/** Discount rules. What takes them off a basket is in pricing, who may use them how often is their usage's. */
export const discountDecider: Decider<
  EntityState<Discount>,
  DiscountCommand,
  DiscountEvent,
  EntityContext<Discount>
> = {
  ...entity,
  decide: (state, command, context) => {
    if (command.type === 'Create' || command.type === 'Delete') return entity.decide(state, command, context);
    if (state.status !== 'present') throw notFound('discount');
    switch (command.type) {
      case 'Change': {
        const changed = { ...state.fields, ...command.changes };
        const status = isSwitchedOff(state.fields) ? state.fields.status : statusByDates(changed, context.at);
        return entity.decide(state, { type: 'Change', changes: { ...command.changes, status } }, context);
      }
      case 'ActivateDiscount':
        return activate(state, context.at);
      case 'DeactivateDiscount':
        return deactivate(state, context.at);
    }
  },
  on: {
    ...entity.on,
    DiscountActivated: (state, { data: { status, at } }) => withStatus(state, status, at),
    DiscountDeactivated: (state, { data: { at } }) => withStatus(state, 'Disabled', at),
  },
};
