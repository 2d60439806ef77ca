import { expect } from 'chai';
import { discountDecider } from '#command/contexts/discounts/discount.decider.ts';
import { discountRules } from '#command/contexts/discounts/discount.rules.ts';
import { discount as kind, type Discount } from '#entities/discount.entity.ts';
import { problemsOf } from '#kernel/entity.ts';
import { percentOff } from '#test/support/builders/basket.ts';
import { given, inContext } from '#test/support/given.ts';

const { DiscountActivated, DiscountChanged, DiscountCreated, DiscountDeactivated, DiscountExpired } =
  kind.events.create;

const now = '2030-06-01T12:00:00.000Z';
const discountProblems = (fields: Partial<Discount>) => problemsOf(discountRules, fields);
const rules = inContext(discountDecider, { at: now, problems: discountProblems, dependents: () => [] });
const { rule } = percentOff('TEN', 10, { startsAt: '2030-01-01T00:00:00.000Z', endsAt: null });
const ten: Discount = { ...rule, status: 'Active' };
const moved = { name: rule.name, code: rule.code, category: rule.category, at: now };

const create = (fields: Partial<Discount>) =>
  ({ type: 'Create', fields: { ...rule, ...fields } as Discount }) as const;
const change = (changes: Partial<Discount>) => ({ type: 'Change', changes }) as const;
const [activate, deactivate, follow] = [
  { type: 'Activate' },
  { type: 'Deactivate' },
  { type: 'FollowDates' },
] as const;

const created = (status: Discount['status'], changes: Partial<typeof rule> = {}) =>
  DiscountCreated({ rule: { ...rule, ...changes }, status, at: now });
const changed = (status: Discount['status'], changes: Partial<typeof rule> = {}) =>
  DiscountChanged({ rule: { ...rule, ...changes }, status, at: now });
const activated = DiscountActivated({ status: 'Active', ...moved });

const discount = given(rules, [created('Active')]);
const over = { endsAt: '2030-02-01T00:00:00.000Z' };
const later = { startsAt: '2031-01-01T00:00:00.000Z' };

describe('a discount', () => {
  it('is created as given', () => {
    given(rules)
      .when(create(ten))
      .then([created('Active')]);
  });

  it('is refused with all its problems at once', () => {
    given(rules)
      .when(
        create({
          ...ten,
          category: 'FreeShipping',
          code: null,
          value: 101,
          endsAt: '2029-01-01T00:00:00.000Z',
        }),
      )
      .thenRefused('invalid-request', {
        errors: [
          'code: must be a code',
          'value: must be a percentage above 0 and up to 100',
          'endsAt: must not be before startsAt',
          'freeShipping: must say where shipping is free',
        ],
      });
  });

  it('may have a value of 0 if its category or type says what it takes off', () => {
    const fine: readonly Partial<Discount>[] = [
      { valueType: 'Free', value: 0 },
      { category: 'FreeShipping', value: 0 },
      { category: 'BuyXGetY', value: 0 },
    ];
    for (const changes of fine) {
      const errors = discountProblems({ ...ten, ...changes });
      expect(errors.filter((error) => error.startsWith('value:'))).to.deep.equal([]);
    }
  });

  it('saved as a draft stays one until it is activated', () => {
    given(rules)
      .when(create({ status: 'Draft' }))
      .then([created('Draft')]);
    discount.when(change({ status: 'Draft' })).then([changed('Draft')]);
    const draft = discount.happened(changed('Draft'));
    draft.when(change({ value: 15 })).then([changed('Draft', { value: 15 })]);
    draft.when(activate).then([activated]);
  });

  it('gets its first status from its dates', () => {
    given(rules)
      .when(create(over))
      .then([created('Expired', over)]);
    given(rules)
      .when(create(later))
      .then([created('Scheduled', later)]);
  });

  it('waits when its start moves to the future, and expires when its end moves to the past', () => {
    discount.when(change(later)).then([changed('Scheduled', later)]);
    discount.when(change(over)).then([changed('Expired', over)]);
  });

  it('is switched off and on, and stays off when it is changed', () => {
    const off = DiscountDeactivated(moved);
    discount.when(deactivate).then([off]);
    const disabled = discount.happened(off);
    disabled.when(deactivate).thenNothing();
    disabled.when(change({ value: 15 })).then([changed('Disabled', { value: 15 })]);
    disabled.when(activate).then([activated]);
  });

  it('follows its dates, but a draft and a disabled one do not', () => {
    const past = { endsAt: '2030-06-01T11:59:59.999Z' };
    const expired = DiscountExpired(moved);
    const ended = given(rules, [created('Active', past)]);
    ended.when(follow).then([expired]);
    ended.happened(expired).when(follow).thenNothing();
    const lastInstant = created('Active', { endsAt: now });
    given(rules, [lastInstant]).when(follow).thenNothing();
    const due = created('Scheduled', { startsAt: now });
    given(rules, [due]).when(follow).then([activated]);
    const missed = created('Scheduled', past);
    given(rules, [missed]).when(follow).then([expired]);
    for (const status of ['Draft', 'Disabled'] as const)
      given(rules, [created(status, past)])
        .when(follow)
        .thenNothing();
  });

  it('that does not exist cannot be activated', () => {
    given(rules).when(activate).thenRefused('entity-not-found');
  });
});
