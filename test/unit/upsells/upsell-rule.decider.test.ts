import { upsellRuleDecider } from '#command/contexts/upsells/upsell-rule.decider.ts';
import { datesInOrder } from '#entities/dated-rule.ts';
import { upsellRule, type Upsell } from '#entities/upsell-rule.entity.ts';
import { problemsOf } from '#kernel/entity.ts';
import { upsellOf } from '#test/support/builders/upsell.ts';
import { given } from '#test/support/given.ts';

const {
  UpsellRuleActivated,
  UpsellRuleChanged,
  UpsellRuleCreated,
  UpsellRuleDeactivated,
  UpsellRuleExpired,
} = upsellRule.events.create;

const at = '2030-06-01T12:00:00.000Z';
const context = {
  at,
  problems: (fields: Upsell) => problemsOf([datesInOrder], fields),
  dependents: () => [],
};
const { status: _, ...rule } = upsellOf('cups');
const { name } = rule;
const created = (status: Upsell['status'], changes: Partial<typeof rule> = {}) =>
  UpsellRuleCreated({ rule: { ...rule, ...changes }, status, at });
const create = (changes: object) => ({ type: 'Create', fields: { ...rule, ...changes } }) as const;
const tomorrow = { startsAt: '2030-06-02T00:00:00.000Z' };
const yesterday = { endsAt: '2030-05-31T00:00:00.000Z' };

describe('an upsell rule', () => {
  it('is a draft unless it is switched on as it is created; then its dates say what it is', () => {
    given(upsellRuleDecider)
      .when(create({}), context)
      .then([created('Draft')]);
    given(upsellRuleDecider)
      .when(create({ status: 'Active' }), context)
      .then([created('Active')]);
    const later = create({ ...tomorrow, status: 'Active' });
    given(upsellRuleDecider)
      .when(later, context)
      .then([created('Scheduled', tomorrow)]);
    const over = create({ ...yesterday, status: 'Scheduled' });
    given(upsellRuleDecider)
      .when(over, context)
      .then([created('Expired', yesterday)]);
    given(upsellRuleDecider)
      .when(create({ ...tomorrow, status: 'Disabled' }), context)
      .then([created('Disabled', tomorrow)]);
  });

  it('does not end before it starts', () => {
    given(upsellRuleDecider)
      .when(create({ ...tomorrow, ...yesterday }), context)
      .thenRefused('invalid-request', { errors: ['endsAt: not before startsAt was expected'] });
  });

  it('stays switched off whatever becomes of its dates, and follows them while it is on', () => {
    const change = { type: 'Change', changes: tomorrow } as const;
    const changed = (status: Upsell['status']) =>
      UpsellRuleChanged({ rule: { ...rule, ...tomorrow }, status, at });
    given(upsellRuleDecider, [created('Draft')])
      .when(change, context)
      .then([changed('Draft')]);
    given(upsellRuleDecider, [created('Disabled')])
      .when(change, context)
      .then([changed('Disabled')]);
    given(upsellRuleDecider, [created('Active')])
      .when(change, context)
      .then([changed('Scheduled')]);
  });

  it('is switched on and off once', () => {
    const [on, off] = [{ type: 'Activate' }, { type: 'Deactivate' }] as const;
    given(upsellRuleDecider, [created('Draft')])
      .when(on, context)
      .then([UpsellRuleActivated({ status: 'Active', name, at })]);
    given(upsellRuleDecider, [created('Active')])
      .when(on, context)
      .thenNothing();
    given(upsellRuleDecider, [created('Active')])
      .when(off, context)
      .then([UpsellRuleDeactivated({ name, at })]);
    given(upsellRuleDecider, [created('Disabled')])
      .when(off, context)
      .thenNothing();
    given(upsellRuleDecider).when(on, context).thenRefused('entity-not-found');
  });

  it('follows its dates when their time has come, unless it is switched off', () => {
    const follow = { type: 'FollowDates' } as const;
    given(upsellRuleDecider, [created('Scheduled')])
      .when(follow, context)
      .then([UpsellRuleActivated({ status: 'Active', name, at })]);
    given(upsellRuleDecider, [created('Active', yesterday)])
      .when(follow, context)
      .then([UpsellRuleExpired({ name, at })]);
    given(upsellRuleDecider, [created('Draft')])
      .when(follow, context)
      .thenNothing();
    given(upsellRuleDecider, [created('Active')])
      .when(follow, context)
      .thenNothing();
  });
});
