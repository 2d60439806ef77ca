import { z } from 'zod';
import type { Decider } from '#kernel/decider.ts';
import {
  entityDecider,
  notFound,
  rulesOn,
  type EntityCommand,
  type EntityContext,
  type EntityDefinition,
  type EntityState,
} from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { statusByDates, type Dated, type DatedStatus, type Dates } from '#values/dated-status.ts';

/** Rules of the shop that are switched on and off, and follow their dates while on (docs/rules/discounts.md#status). */

export const ruleStatuses = { Draft: 0, Active: 1, Scheduled: 2, Expired: 3, Disabled: 4 } as const;
export const ruleStatus = z.enum(Object.keys(ruleStatuses) as [DatedStatus, ...DatedStatus[]]);

export const datesInOrder = rulesOn<Dates>()(['startsAt', 'endsAt'], ({ startsAt, endsAt }) =>
  endsAt !== null && endsAt < startsAt ? ['endsAt: must not be before startsAt'] : [],
);

/** Beside those that every entity has. */
export type DatedCommand =
  | { readonly type: 'Activate' }
  | { readonly type: 'Deactivate' }
  /** Gives a rule that is on the status that its dates ask for by now. */
  | { readonly type: 'FollowDates' };

interface NewDated {
  readonly startsAt?: string | undefined;
  readonly status?: DatedStatus | undefined;
}

interface DatedRule<Rule, Named, Event> {
  /** Of a new rule whose status is not given. */
  readonly statusAtFirst: DatedStatus;
  /** What its events tell of it. */
  readonly named: (rule: Rule) => Named;
  readonly activated: (data: Named & { readonly status: DatedStatus; readonly at: string }) => Event;
  readonly deactivated: (data: Named & { readonly at: string }) => Event;
  readonly expired: (data: Named & { readonly at: string }) => Event;
}

/** A rule that is off stays off whatever its dates say. */
const settled = <Rule extends Dated>(rule: Rule, at: string): Rule =>
  rule.status === 'Draft' || rule.status === 'Disabled' ? rule : { ...rule, status: statusByDates(rule, at) };

const isDated = (command: { readonly type: string }): command is DatedCommand =>
  ['Activate', 'Deactivate', 'FollowDates'].includes(command.type);

/** The decider of such a rule: that of its entity, and the commands that switch it. */
export const datedDecider = <Rule extends Dated, New extends NewDated, Event extends DomainEvent, Named>(
  definition: Omit<EntityDefinition<Rule, Event, New>, 'complete' | 'settle'>,
  { statusAtFirst, named, activated, deactivated, expired }: DatedRule<Rule, Named, Event>,
): Decider<EntityState<Rule>, EntityCommand<Rule, New> | DatedCommand, Event, EntityContext<Rule>> => {
  const entity = entityDecider<Rule, Event, New>({
    ...definition,
    complete: (given, at) => {
      const { startsAt = at, status = statusAtFirst } = given;
      return settled({ ...given, startsAt, status } as unknown as Rule, at);
    },
    settle: (changed, _, at) => settled(changed, at),
  });
  const switchRule = (rule: Rule, { type }: DatedCommand, at: string): Event[] => {
    const told = { ...named(rule), at };
    if (type === 'Deactivate') return rule.status === 'Disabled' ? [] : [deactivated(told)];
    const status = statusByDates(rule, at);
    if (type === 'FollowDates') {
      if (rule.status !== 'Active' && rule.status !== 'Scheduled') return [];
      if (status === 'Expired') return [expired(told)];
    }
    return rule.status === status ? [] : [activated({ status, ...told })];
  };
  return {
    ...entity,
    decide: (state, command, context) => {
      if (!isDated(command)) return entity.decide(state, command, context);
      if (state.status !== 'present') throw notFound(definition.noun);
      return switchRule(state.fields, command, context.at);
    },
  };
};
