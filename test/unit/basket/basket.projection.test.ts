import { expect } from 'chai';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { basketProjection, type BasketDocument } from '#projection/contexts/basket/basket.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { add, basketIn, idNamed, offer, setQuantity } from '#test/support/builders/basket.ts';
import { given, givenEvents, inStream } from '#test/support/given.ts';

const id = idNamed('basket');
const floor = { offers: { mug: offer(1200, 20), pen: offer(150) } };
const { BasketCleared, BasketCompleted } = basketEvents.create;

const basket = given(basketIn(floor)).after(add('mug', 2), add('pen'), setQuantity('mug', 1));

describe('the basket as it is read', () => {
  it('is what the basket decides on, to the last figure', () => {
    const { document } = givenEvents(...inStream(streamOf.basket(id), ...basket.history)).project(
      basketProjection,
      id,
    );
    const { changedAt, ...shown } = document as BasketDocument;
    expect(shown).to.deep.equal({ ...basket.state().basket, status: 'open', _id: id });
    expect(Date.parse(changedAt)).to.be.above(0);
  });

  it('is gone once it has been cleared', () => {
    const events = [...basket.history, BasketCleared({ currency: 'GBP', customerId: null })];
    givenEvents(...inStream(streamOf.basket(id), ...events))
      .project(basketProjection, id)
      .thenNothing();
  });

  it('stays when it has been bought, marked so', () => {
    const events = [...basket.history, BasketCompleted({ invoiceId: idNamed('invoice') })];
    givenEvents(...inStream(streamOf.basket(id), ...events))
      .project(basketProjection, id)
      .then({ status: 'completed', itemCount: 2 });
  });

  it('takes every event of basket and checkout', () => {
    const types = [...basketEvents.definitions, ...checkoutEvents.definitions].map(({ type }) => type);
    expect(Object.keys(basketProjection.on)).to.have.members(types);
  });
});
