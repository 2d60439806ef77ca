import { upsellRuleDecider } from '#command/contexts/upsells/upsell-rule.decider.ts';
import { datesInOrder } from '#entities/dated-rule.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { problemsOf } from '#kernel/entity.ts';
import { upsellOf } from '#test/support/builders/upsell.ts';
import { given, inContext } from '#test/support/given.ts';

const {
  UpsellRuleActivated,
  UpsellRuleChanged,
  UpsellRuleCreated,
  UpsellRuleDeactivated,
  UpsellRuleExpired,
} = upsellRule.events.create;

const at = '2030-06-01T12:00:00.000Z';
const rules = inContext(upsellRuleDecider, {
  at,
  problems: (fields: Upsell) => problemsOf([datesInOrder], fields),
  dependents: () => [],
});
const { status: _, ...rule } = upsellOf('cups');
const { name } = rule;
type Status = Upsell['status'];
const created = (status: Status, changes: Partial<typeof rule> = {}) =>
  UpsellRuleCreated({ rule: { ...rule, ...changes }, status, at });
const activated = UpsellRuleActivated({ status: 'Active', name, at });
const create = (changes: object = {}) => ({ type: 'Create', fields: { ...rule, ...changes } }) as const;
const [activate, deactivate, follow] = [
  { type: 'Activate' },
  { type: 'Deactivate' },
  { type: 'FollowDates' },
] as const;
const tomorrow = { startsAt: '2030-06-02T00:00:00.000Z' };
const yesterday = { endsAt: '2030-05-31T00:00:00.000Z' };

const none = given(rules);
const ruleThatIs = (status: Status, changes: Partial<typeof rule> = {}) =>
  none.happened(created(status, changes));

describe('an upsell rule', () => {
  it('is a draft unless it is created active; then its status follows from its dates', () => {
    none.when(create()).then([created('Draft')]);
    none.when(create({ status: 'Active' })).then([created('Active')]);
    none.when(create({ ...tomorrow, status: 'Active' })).then([created('Scheduled', tomorrow)]);
    none.when(create({ ...yesterday, status: 'Scheduled' })).then([created('Expired', yesterday)]);
    none.when(create({ ...tomorrow, status: 'Disabled' })).then([created('Disabled', tomorrow)]);
  });

  it('cannot end before it starts', () => {
    none
      .when(create({ ...tomorrow, ...yesterday }))
      .thenRefused('invalid-request', { errors: ['endsAt: must not be before startsAt'] });
  });

  it('stays off whatever its dates, and follows them while it is on', () => {
    for (const [before, after] of [
      ['Draft', 'Draft'],
      ['Disabled', 'Disabled'],
      ['Active', 'Scheduled'],
    ] as const)
      ruleThatIs(before)
        .when({ type: 'Change', changes: tomorrow })
        .then([UpsellRuleChanged({ rule: { ...rule, ...tomorrow }, status: after, at })]);
  });

  it('is switched on and off once', () => {
    ruleThatIs('Draft').when(activate).then([activated]);
    ruleThatIs('Active').when(activate).thenNothing();
    ruleThatIs('Active')
      .when(deactivate)
      .then([UpsellRuleDeactivated({ name, at })]);
    ruleThatIs('Disabled').when(deactivate).thenNothing();
    none.when(activate).thenRefused('entity-not-found');
  });

  it('follows its dates when they are due, unless it is off', () => {
    ruleThatIs('Scheduled').when(follow).then([activated]);
    ruleThatIs('Active', yesterday)
      .when(follow)
      .then([UpsellRuleExpired({ name, at })]);
    ruleThatIs('Draft').when(follow).thenNothing();
    ruleThatIs('Active').when(follow).thenNothing();
  });
});
