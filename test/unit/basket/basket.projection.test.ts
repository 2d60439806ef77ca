import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { basketProjection, type OpenBasket } from '#projection/contexts/basket/basket.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, basketIn, idNamed, offer, setQuantity } from '#test/support/builders/basket.ts';
import { given, givenStream } from '#test/support/given.ts';

const id = idNamed('basket');
const floor = { offers: { mug: offer(1200, 20), pen: offer(150) } };
const { BasketCleared, BasketCompleted, BasketCurrencyChanged } = basketEvents.create;
const { CheckoutEmailCaptured, OrderPlaced } = checkoutEvents.create;

const basket = given(basketIn(floor)).after(add('mug', 2), add('pen'), setQuantity('mug', 1));
const shown = (...more: readonly DomainEvent[]) =>
  givenStream(streamOf.basket(id), ...basket.history, ...more).project(basketProjection);

describe('the basket as it is read', () => {
  it('is what the basket decides on, to the last figure', () => {
    const { changedAt, ...document } = (shown().document ?? expect.fail('no basket')) as OpenBasket;
    expect(document).to.deep.equal({ ...basket.state().basket, status: 'open', _id: id });
    expect(Date.parse(changedAt)).to.be.above(0);
  });

  it('is gone once it has been cleared', () => {
    shown(BasketCleared({ currency: 'GBP', customerId: null })).thenNothing();
  });

  it('is nothing but bought once it has been bought, whatever comes after', () => {
    const bought = { _id: id, status: 'completed' };
    const completed = BasketCompleted({ invoiceId: idNamed('invoice') });
    expect(shown(completed).document).to.deep.equal(bought);
    const after = [
      BasketCurrencyChanged({ currency: 'EUR' }),
      CheckoutEmailCaptured({ email: 'ada@example.com', session: { at: '2026-03-01T12:00:00.000Z' } }),
      OrderPlaced({
        placementId: idNamed('placement'),
        invoiceId: idNamed('invoice'),
        invoiceNumber: 'INV-1',
      }),
    ];
    expect(shown(completed, ...after).document).to.deep.equal(bought);
  });

  it('takes every event of basket and checkout', () => {
    const types = [...basketEvents.definitions, ...checkoutEvents.definitions].map(({ type }) => type);
    expect(Object.keys(basketProjection.on)).to.have.members(types);
  });
});
