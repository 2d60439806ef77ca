import { expect } from 'chai';
import { discountDecider } from '#command/contexts/discounts/discount.decider.ts';
import { discountRules } from '#command/contexts/discounts/discount.rules.ts';
import { discount as kind, type Discount } from '#entities/discount.entity.ts';
import { problemsOf } from '#kernel/entity.ts';
import { percentOff } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const { DiscountActivated, DiscountChanged, DiscountCreated, DiscountDeactivated, DiscountExpired } =
  kind.events.create;

const now = '2030-06-01T12:00:00.000Z';
const discountProblems = (given: Partial<Discount>) => problemsOf(discountRules, given);
const context = { at: now, problems: discountProblems, dependents: () => [] };
const { rule } = percentOff('TEN', 10, { startsAt: '2030-01-01T00:00:00.000Z', endsAt: null });
const discount: Discount = { ...rule, status: 'Active' };
const told = { name: rule.name, code: rule.code, category: rule.category };
const created = DiscountCreated({ rule, status: 'Active', at: now });

describe('a discount', () => {
  it('is created as it was given', () => {
    given(discountDecider).when({ type: 'Create', fields: discount }, context).then([created]);
  });

  it('says everything that is wrong with it at once', () => {
    const wrong: Discount = {
      ...discount,
      category: 'FreeShipping',
      code: null,
      value: 101,
      endsAt: '2029-01-01T00:00:00.000Z',
    };
    given(discountDecider)
      .when({ type: 'Create', fields: wrong }, context)
      .thenRefused('invalid-request', {
        errors: [
          'code: a code was expected',
          'value: a percentage above 0 and up to 100 was expected',
          'endsAt: not before startsAt was expected',
          'freeShipping: where shipping is free was expected',
        ],
      });
  });

  it('may take 0 off where its category or type says what is taken', () => {
    const fine: readonly Partial<Discount>[] = [
      { valueType: 'Free', value: 0 },
      { category: 'FreeShipping', value: 0 },
      { category: 'BuyXGetY', value: 0 },
    ];
    for (const changes of fine) {
      const errors = discountProblems({ ...discount, ...changes });
      expect(errors.filter((error) => error.startsWith('value:'))).to.deep.equal([]);
    }
  });

  it('is a draft when it is saved so, and stays one until it is activated', () => {
    given(discountDecider)
      .when({ type: 'Create', fields: { ...discount, status: 'Draft' } }, context)
      .then([DiscountCreated({ rule, status: 'Draft', at: now })]);
    const drafted = DiscountChanged({ rule, status: 'Draft', at: now });
    given(discountDecider, [created])
      .when({ type: 'Change', changes: { status: 'Draft' } }, context)
      .then([drafted]);
    given(discountDecider, [created, drafted])
      .when({ type: 'Change', changes: { value: 15 } }, context)
      .then([DiscountChanged({ rule: { ...rule, value: 15 }, status: 'Draft', at: now })]);
    given(discountDecider, [created, drafted])
      .when({ type: 'Activate' }, context)
      .then([DiscountActivated({ status: 'Active', ...told, at: now })]);
  });

  it('has its status from its dates from the first on', () => {
    const over = { startsAt: '2030-01-01T00:00:00.000Z', endsAt: '2030-02-01T00:00:00.000Z' };
    given(discountDecider)
      .when({ type: 'Create', fields: { ...rule, ...over } }, context)
      .then([DiscountCreated({ rule: { ...rule, ...over }, status: 'Expired', at: now })]);
    const later = { startsAt: '2031-01-01T00:00:00.000Z' };
    given(discountDecider)
      .when({ type: 'Create', fields: { ...rule, ...later } }, context)
      .then([DiscountCreated({ rule: { ...rule, ...later }, status: 'Scheduled', at: now })]);
  });

  it('waits when its start is moved to the future, and is over when its end is moved to the past', () => {
    const startsAt = '2031-01-01T00:00:00.000Z';
    given(discountDecider, [created])
      .when({ type: 'Change', changes: { startsAt } }, context)
      .then([DiscountChanged({ rule: { ...rule, startsAt }, status: 'Scheduled', at: now })]);
    const endsAt = '2030-02-01T00:00:00.000Z';
    given(discountDecider, [created])
      .when({ type: 'Change', changes: { endsAt } }, context)
      .then([DiscountChanged({ rule: { ...rule, endsAt }, status: 'Expired', at: now })]);
  });

  it('is switched off and on, and stays off when it is changed', () => {
    const off = DiscountDeactivated({ ...told, at: now });
    given(discountDecider, [created]).when({ type: 'Deactivate' }, context).then([off]);
    given(discountDecider, [created, off]).when({ type: 'Deactivate' }, context).thenNothing();
    given(discountDecider, [created, off])
      .when({ type: 'Change', changes: { value: 15 } }, context)
      .then([DiscountChanged({ rule: { ...rule, value: 15 }, status: 'Disabled', at: now })]);
    given(discountDecider, [created, off])
      .when({ type: 'Activate' }, context)
      .then([DiscountActivated({ status: 'Active', ...told, at: now })]);
  });

  it('gets the status that its dates ask for, and no other', () => {
    const follow = { type: 'FollowDates' } as const;
    const past = { ...rule, endsAt: '2030-06-01T11:59:59.999Z' };
    const moved = { ...told, at: now };
    const during = DiscountCreated({ rule: past, status: 'Active', at: now });
    given(discountDecider, [during])
      .when(follow, context)
      .then([DiscountExpired(moved)]);
    given(discountDecider, [during, DiscountExpired(moved)])
      .when(follow, context)
      .thenNothing();
    const lastInstant = { ...rule, endsAt: now };
    given(discountDecider, [DiscountCreated({ rule: lastInstant, status: 'Active', at: now })])
      .when(follow, context)
      .thenNothing();
    const due = DiscountCreated({ rule: { ...rule, startsAt: now }, status: 'Scheduled', at: now });
    given(discountDecider, [due])
      .when(follow, context)
      .then([DiscountActivated({ status: 'Active', ...moved })]);
    const missed = DiscountCreated({ rule: past, status: 'Scheduled', at: now });
    given(discountDecider, [missed])
      .when(follow, context)
      .then([DiscountExpired(moved)]);
    for (const status of ['Draft', 'Disabled'] as const)
      given(discountDecider, [DiscountCreated({ rule: past, status, at: now })])
        .when(follow, context)
        .thenNothing();
  });

  it('must be there to be switched on', () => {
    given(discountDecider).when({ type: 'Activate' }, context).thenRefused('entity-not-found');
  });
});
