import { expect } from 'chai';
import fc from 'fast-check';
import type {
  ClaimDiscountUse,
  ReleaseDiscountUse,
  SettleDiscountUse,
  TakeOverDiscountUses,
} from '#command/contexts/discounts/discount-usage.commands.ts';
import {
  discountUsageDecider,
  type DiscountUsageState,
  type UsageLimit,
} from '#command/contexts/discounts/discount-usage.decider.ts';
import { discountUsageEvents } from '#events/discount-usage.events.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, inContext } from '#test/support/given.ts';

const { DiscountUseClaimed, DiscountUseReleased, DiscountUseSettled, DiscountUsesTakenOver } =
  discountUsageEvents.create;

const use = (basket: string, placement: string, customer = basket) => ({
  discountId: idNamed('welcome'),
  basketId: idNamed(basket),
  placementId: idNamed(placement),
  customerId: idNamed(customer),
  amount: 500,
});
type Use = ReturnType<typeof use>;
const claim = (whose: Use): ClaimDiscountUse => ({ type: 'ClaimDiscountUse', ...whose });
const atMost = (most: number, errorCode: UsageLimit['errorCode'] = 'UsageLimitReached') =>
  inContext(discountUsageDecider, { most, errorCode });
const unlimited = inContext(discountUsageDecider, { most: null, errorCode: 'UsageLimitReached' });
const withoutRule = inContext(discountUsageDecider, null);
const release = ({ discountId, basketId, placementId }: Use): ReleaseDiscountUse => ({
  type: 'ReleaseDiscountUse',
  discountId,
  basketId,
  placementId,
});
const claimed = (whose: Use, uses: number) => DiscountUseClaimed({ ...whose, uses });

describe('the uses of a discount', () => {
  const ada = use('ada', 'first');
  const adaAgain = use('ada', 'second');
  const bob = use('bob', 'third');

  it('are claimed once per basket, however often it asks', () => {
    given(atMost(1))
      .when(claim(ada))
      .then([claimed(ada, 1)]);
    given(atMost(1), [claimed(ada, 1)])
      .when(claim(ada))
      .thenNothing();
  });

  it('cannot be claimed once the limit is reached', () => {
    given(atMost(1), [claimed(ada, 1)])
      .when(claim(bob))
      .thenRefused('usage-limit-reached', { errorCode: 'UsageLimitReached' });
  });

  it('pass to a new placement of the same basket without counting twice', () => {
    given(atMost(1), [claimed(ada, 1)])
      .when(claim(adaAgain))
      .then([claimed(adaAgain, 1)]);
    const history = [claimed(ada, 1), claimed(adaAgain, 1)];
    given(unlimited, history).when(release(ada)).thenNothing();
    given(unlimited, history).when(claim(ada)).thenRefused('order-being-placed');
  });

  it('stay with a later placement, whatever an earlier one still sends', () => {
    const later = { ...adaAgain, turn: 2 };
    const early = { ...ada, turn: 1 };
    const history = [claimed(later, 1)];
    given(unlimited, history)
      .when({ ...release(ada), turn: 1 })
      .thenNothing();
    given(unlimited, history).when(claim(early)).thenRefused('order-being-placed');
  });

  it('are not claimed by a late driver after the placement failed under another one', () => {
    const { discountId, basketId, placementId } = ada;
    const noted = DiscountUseReleased({ discountId, basketId, placementId, turn: 2, uses: 0 });
    given(unlimited)
      .when({ ...release(ada), turn: 2, isFinal: true })
      .then([noted]);
    given(unlimited, [noted])
      .when(claim({ ...ada, turn: 1 } as Use))
      .thenRefused('order-being-placed');
  });

  it('cannot be claimed of a deleted rule', () => {
    given(withoutRule).when(claim(ada)).thenRefused('discount-not-applicable');
  });

  it('stay with a placement that is resumed after the rule was deleted', () => {
    const resumed = DiscountUseClaimed({ ...ada, turn: 2, uses: 1 });
    given(withoutRule, [claimed(ada, 1)])
      .when({ ...claim(ada), turn: 2 })
      .then([resumed]);
    given(withoutRule, [claimed(ada, 1)])
      .when(claim(adaAgain))
      .thenRefused('discount-not-applicable');
  });

  it('tell a customer who has reached the limit per customer', () => {
    given(atMost(1, 'CustomerUsageLimitReached'), [claimed(ada, 1)])
      .when(claim(use('other basket', 'fourth', 'ada')))
      .thenRefused('usage-limit-reached', { errorCode: 'CustomerUsageLimitReached' });
  });

  const settle = ({ discountId, basketId, placementId }: Use): SettleDiscountUse => ({
    type: 'SettleDiscountUse',
    discountId,
    basketId,
    placementId,
  });
  const settled = ({ discountId, basketId, placementId }: Use, uses: number) =>
    DiscountUseSettled({ discountId, basketId, placementId, uses });

  it('are final once the sale is confirmed, whichever command comes late', () => {
    given(atMost(1), [claimed(ada, 1)])
      .when(settle(ada))
      .then([settled(ada, 1)]);
    const history = [claimed(ada, 1), settled(ada, 1)];
    given(unlimited, history).when(settle(ada)).thenNothing();
    given(unlimited, history).when(claim(ada)).thenNothing();
    given(unlimited, history)
      .when({ ...release(ada), isFinal: true })
      .thenNothing();
    given(atMost(1), history).when(claim(bob)).thenRefused('usage-limit-reached');
  });

  it('are settled only by the placement that holds them', () => {
    given(unlimited, [claimed(ada, 1), claimed(adaAgain, 1)])
      .when(settle(ada))
      .thenNothing();
    given(unlimited).when(settle(ada)).thenNothing();
  });

  it('from before there was a limit are taken over once', () => {
    const taking = (after: number, through: number): TakeOverDiscountUses => ({
      type: 'TakeOverDiscountUses',
      discountId: ada.discountId,
      after,
      through,
      perCustomer: false,
      isLast: true,
      settled: 3,
      open: [ada, bob].map(({ basketId, placementId }) => ({ basketId, placementId })),
    });
    const { type: _, after: __, ...taken } = taking(0, 40);
    const ofBob = taken.open.filter(({ basketId }) => basketId === bob.basketId);
    const takenOver = DiscountUsesTakenOver({ ...taken, open: ofBob, uses: 5 });
    // Ada's basket was placed again meanwhile, and has claimed.
    given(atMost(1), [claimed(adaAgain, 1)])
      .when(taking(0, 40))
      .then([takenOver]);
    const history = [claimed(adaAgain, 1), takenOver];
    given(unlimited, history).when(taking(0, 50)).thenNothing();
    given(unlimited, history)
      .when({ ...taking(40, 50), settled: 0, open: [] })
      .thenNothing();
    given(atMost(5), history)
      .when(claim(use('cleo', 'fifth')))
      .thenRefused('usage-limit-reached');
    given(unlimited, history)
      .when(release(bob))
      .thenLike(['DiscountUseReleased', { uses: 4 }]);
  });

  it('are taken over again by the next change of the rule, until its rule is saved', () => {
    const taken = { discountId: ada.discountId, through: 50, perCustomer: false, settled: 0, open: [] };
    const none = { type: 'TakeOverDiscountUses', ...taken } as const;
    const before = DiscountUsesTakenOver({ ...taken, through: 40, isLast: false, uses: 0 });
    const again: TakeOverDiscountUses = { ...none, after: 40, isLast: false };
    const last: TakeOverDiscountUses = { ...none, after: 40, isLast: true };
    const done = DiscountUsesTakenOver({ ...taken, isLast: true, uses: 0 });
    // What an older release wrote does not say which of the two it was.
    const { isLast: _, ...older } = before.data;
    for (const history of [[before], [DiscountUsesTakenOver(older)]]) {
      given(unlimited, history).when(again).thenNothing();
      given(unlimited, history).when(last).then([done]);
    }
    given(unlimited, [before, done])
      .when({ ...last, after: 50, through: 60 })
      .thenNothing();
  });

  it('take no more space after many sales', () => {
    const sizeAfter = (sales: number): number => {
      let state: DiscountUsageState = discountUsageDecider.initial();
      for (let sale = 1; sale <= sales; sale++) {
        const one = use(`basket ${sale}`, `placement ${sale}`);
        for (const event of [claimed(one, sale), settled(one, sale)])
          state = evolve(discountUsageDecider.on, state, event);
      }
      expect(state.uses).to.equal(sales);
      return JSON.stringify(state).length;
    };
    expect(sizeAfter(3000)).to.be.within(sizeAfter(1000), sizeAfter(1000) + 20);
  });

  it('can be claimed by others once released', () => {
    const { discountId, basketId, placementId } = ada;
    const released = DiscountUseReleased({ discountId, basketId, placementId, uses: 0 });
    given(unlimited, [claimed(ada, 1)])
      .when(release(ada))
      .then([released]);
    given(atMost(1), [claimed(ada, 1), released])
      .when(claim(bob))
      .then([claimed(bob, 1)]);
  });

  it('never exceed their limit, whatever happens in whatever order', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const kind = fc.constantFrom('claim', 'release', 'settle');
    const wish = fc.record({ kind, basket: name, placement: name });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
        let state: DiscountUsageState = discountUsageDecider.initial();
        let sold = 0;
        for (const { kind: wished, basket, placement } of wishes) {
          const whose = use(basket, `${basket} ${placement}`);
          try {
            const command =
              wished === 'claim' ? claim(whose) : wished === 'release' ? release(whose) : settle(whose);
            for (const event of atMost(3).decide(state, command)) {
              state = evolve(discountUsageDecider.on, state, event);
              if (event.type === 'DiscountUseSettled') sold++;
            }
          } catch (error) {
            if (!(error instanceof Rejection)) throw error;
          }
          const open = Object.keys(state.open).length;
          expect(open + sold)
            .to.equal(state.uses)
            .and.to.be.at.most(3);
        }
      }),
    );
  });
});
