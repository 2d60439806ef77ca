import {
  upsellRule,
  type NewUpsell,
  type Upsell,
  type UpsellRuleEvent,
} from '#entities/upsell-rule.entity.ts';
import type { Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  notFound,
  type EntityCommand,
  type EntityContext,
  type EntityDefinition,
  type EntityState,
} from '#kernel/entity.ts';
import { statusByDates } from '#values/dated-status.ts';

export type SwitchUpsell =
  | { readonly type: 'ActivateUpsellRule' }
  | { readonly type: 'DeactivateUpsellRule' }
  /** Gives a rule that is switched on the status that its dates ask for by now. */
  | { readonly type: 'FollowUpsellRuleDates' };

const { UpsellRuleActivated, UpsellRuleDeactivated, UpsellRuleExpired } = upsellRule.events.create;

/** A rule that is switched off stays so whatever its dates say (docs/rules/upsells.md#status). */
const settled = (rule: Upsell, at: string): Upsell =>
  rule.status === 'Draft' || rule.status === 'Disabled' ? rule : { ...rule, status: statusByDates(rule, at) };

const entity = entityDecider<Upsell, UpsellRuleEvent, NewUpsell>({
  ...(upsellRule as EntityDefinition<Upsell, UpsellRuleEvent>),
  complete: (given, at) => {
    const { startsAt = at, status = 'Draft' } = given;
    return settled({ ...given, startsAt, status }, at);
  },
  settle: (changed, _, at) => settled(changed, at),
});

type Known = Pick<Extract<EntityState<Upsell>, { status: 'present' }>, 'fields'>;

const activate = ({ fields }: Known, at: string): UpsellRuleEvent[] => {
  const status = statusByDates(fields, at);
  return fields.status === status ? [] : [UpsellRuleActivated({ status, name: fields.name, at })];
};

const deactivate = ({ fields }: Known, at: string): UpsellRuleEvent[] =>
  fields.status === 'Disabled' ? [] : [UpsellRuleDeactivated({ name: fields.name, at })];

const followDates = ({ fields }: Known, at: string): UpsellRuleEvent[] => {
  if (fields.status !== 'Active' && fields.status !== 'Scheduled') return [];
  return statusByDates(fields, at) === 'Expired'
    ? [UpsellRuleExpired({ name: fields.name, at })]
    : activate({ fields }, at);
};

const switchTo = {
  ActivateUpsellRule: activate,
  DeactivateUpsellRule: deactivate,
  FollowUpsellRuleDates: followDates,
} satisfies Record<SwitchUpsell['type'], unknown>;

const isSwitch = (command: { readonly type: string }): command is SwitchUpsell => command.type in switchTo;

/** Upsell rules. What they suggest for a basket is worked out in `suggest.ts`. */
export const upsellRuleDecider: Decider<
  EntityState<Upsell>,
  EntityCommand<Upsell, NewUpsell> | SwitchUpsell,
  UpsellRuleEvent,
  EntityContext<Upsell>
> = {
  ...entity,
  decide: (state, command, context) => {
    if (!isSwitch(command)) return entity.decide(state, command, context);
    if (state.status !== 'present') throw notFound('upsell rule');
    return switchTo[command.type](state, context.at);
  },
};
