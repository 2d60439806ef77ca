import { expect } from 'chai';
import { basketEndDecider } from '#command/contexts/checkout/placement/placement-end.decider.ts';
import { isBought, reachableBasket } from '#command/contexts/basket/basket.state.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { customerEvents } from '#events/customer.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { registered } from '#test/support/builders/customer.ts';
import { given, inContext } from '#test/support/given.ts';

const { CustomerForgettingStarted, CustomerForgotten, CustomerOutstandingChanged, CustomerSegmentJoined } =
  customerEvents.create;
const { BasketForgotten, BasketStarted } = basketEvents.create;

const at = '2026-03-02T09:00:00.000Z';
const rules = inContext(customerDecider, { at, timeZone: 'UTC', unpaidInvoices: 0, isSegment: () => true });
const start = { type: 'StartForgetting', force: false } as const;
const owed = CustomerOutstandingChanged({
  ...{ invoiceId: idNamed('mug'), amount: 2640, amountBefore: 0, outstanding: 2640, openInvoices: 1 },
  ...{ dueDay: null, hasAccountTerms: false, creditLimit: null, asOf: 3, at },
});
const started = CustomerForgettingStarted({ segmentIds: [], tagsLost: [], isForced: false, at });
const part = (number: number, isLast = false) =>
  ({
    type: 'NoteForgotten',
    part: number,
    basketIds: [idNamed('basket')],
    recordIds: [],
    invoiceIds: [idNamed('mug')],
    isLast,
  }) as const;
const forgotten = (number: number, isLast = false) => {
  const { type: _, basketIds, invoiceIds, ...rest } = part(number, isLast);
  return CustomerForgotten({
    ...rest,
    basketIds: [...basketIds],
    recordIds: [],
    invoiceIds: [...invoiceIds],
    at,
  });
};

/** docs/rules/forgetting.md#when */
describe('forgetting a customer', () => {
  it('begins once, with the segments and tags that they leave', () => {
    const inSegment = CustomerSegmentJoined({ segmentId: idNamed('regulars'), notes: null, at });
    given(rules, [registered({ tags: ['VIP'] }), inSegment])
      .when(start)
      .then([
        CustomerForgettingStarted({
          ...{ segmentIds: [idNamed('regulars')], tagsLost: ['VIP'], isForced: false, at },
        }),
      ]);
    given(rules, [registered(), started]).when(start).thenNothing();
    given(rules, [registered(), started, forgotten(1, true)])
      .when(start)
      .thenNothing();
  });

  it('is refused for a customer whom the shop does not know', () => {
    given(rules).when(start).thenRefused('entity-not-found');
  });

  it('waits for money that is due, unless it is forced', () => {
    const owing = given(rules, [registered(), owed]);
    const { message } = owing.when(start).thenRefused('money-still-due');
    expect(message).to.include('one sale').and.to.include('"force": true');
    owing.when({ ...start, force: true }).thenLike(['CustomerForgettingStarted', { isForced: true }]);
  });

  it('waits for what a buyer owes who is no customer, too', () => {
    const guest = { ...start, isGuest: true, salesOwed: 2 } as const;
    expect(given(rules).when(guest).thenRefused('money-still-due').message).to.include('2 sales');
    given(rules)
      .when({ ...guest, force: true })
      .thenLike(['CustomerForgettingStarted', { isGuest: true, isForced: true }]);
  });

  it('notes each part once, in turn, and ends with the last', () => {
    const begun = given(rules, [registered(), started]);
    begun.when(part(2)).thenNothing();
    begun.when(part(1)).then([forgotten(1)]);
    const once = begun.happened(forgotten(1));
    once.when(part(1)).thenNothing();
    once.when(part(2, true)).then([forgotten(2, true)]);
    once.happened(forgotten(2, true)).when(part(3)).thenNothing();
    given(rules, [registered()]).when(part(1)).thenNothing();
  });

  it('leaves nothing by which they could be met again, and keeps what they still owe', () => {
    const done = given(rules, [registered(), owed, started, forgotten(1, true)]);
    done.when({ type: 'ChangeCustomer', changes: { isFlagged: true } }).thenRefused('entity-not-found');
    done.when({ type: 'GiveUpEmail', email: 'ada@example.com' }).thenNothing();
    const again = {
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      acceptsMarketing: false,
    };
    done.when({ type: 'RegisterCustomer', ...again }).thenRefused('conflict');
    expect(JSON.stringify(done.state())).to.not.match(/Ada|Lovelace|example\.com/);
    done
      .when({ type: 'SetOutstanding', invoiceId: idNamed('mug'), amount: 0, asOf: 9, dueDate: null })
      .thenLike(['CustomerOutstandingChanged', { amount: 0, outstanding: 0, openInvoices: 0 }]);
  });
});

/** docs/rules/forgetting.md#baskets */
describe('a basket whose buyer is forgotten', () => {
  const captured = checkoutEvents.create.CheckoutEmailCaptured({
    email: 'ada@example.com',
    customerId: idNamed('ada'),
    session: { at },
  });
  const open = given(basketEndDecider, [
    BasketStarted({
      currency: 'GBP',
      destination: { countryCode: 'GB', regionCode: null, postalCode: null },
    }),
    captured,
  ]);
  const forget = { type: 'ForgetBasket', at } as const;

  it('is closed once, so that no cookie finds it, and holds nothing of them', () => {
    open.when(forget).then([BasketForgotten({ at })]);
    const closed = open.happened(BasketForgotten({ at }));
    closed.when(forget).thenNothing();
    expect(isBought(closed.state())).to.equal(true);
    expect(reachableBasket(closed.state())).to.equal(null);
    expect(JSON.stringify(closed.state())).to.not.include('ada@example.com');
  });

  it('is not gone on with either where it had been cleared', () => {
    const cleared = open.happened(basketEvents.create.BasketCleared({ currency: 'GBP', customerId: null }));
    expect(isBought(cleared.state())).to.equal(false);
    expect(isBought(cleared.happened(BasketForgotten({ at })).state())).to.equal(true);
  });
});
