import { expect } from 'chai';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { eventDefinition } from '#events/registry.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  add,
  basketIn,
  codeOf,
  idNamed,
  lineOf,
  london,
  offer,
  percentOff,
  setQuantity,
  takeOut,
} from '#test/support/builders/basket.ts';
import { placementEnded, placementStarted } from '#test/support/builders/placement.ts';

const shop = { offers: { mug: offer(1200, 20), pen: offer(150), tea: offer(480, 5) } };

const refusal = (act: () => unknown): Rejection => {
  try {
    act();
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
  return expect.fail('was not refused');
};

describe('a basket', () => {
  it('starts with its first line, priced for where the shopper is', () => {
    const [started, added] = basketIn(shop).decide(add('mug', 2));
    expect(started).to.deep.equal({ type: 'BasketStarted', data: { currency: 'GBP', destination: london } });
    expect(added?.type).to.equal('BasketLineAdded');
    expect(added?.data).to.deep.include({ line: lineOf('mug'), quantity: 2, itemCount: 2 });
    expect(added?.type === 'BasketLineAdded' && added.data.pricing.totals).to.include({
      subTotal: 2400,
      tax: 480,
      total: 2880,
    });
  });

  it('is not started by an id that nobody gave out', () => {
    const command = { ...add('mug'), startFor: null } as ReturnType<typeof add>;
    expect(refusal(() => basketIn(shop).decide(command)).code).to.equal('basket-not-found');
  });

  it('gives a product that it has already more units instead of a second line', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug', 2));
    const [changed] = basket.decide(add('mug', 3));
    expect(changed?.data).to.deep.include({ oldQuantity: 2, quantity: 5, itemCount: 5 });
    expect(basket.state().basket?.lines).to.have.length(1);
  });

  it('refuses what the shop does not have, does not sell, or not in this number', () => {
    const floor = { ...shop, withdrawn: ['pen'], stock: { mug: 3 }, maxLineQuantity: 9, maxBasketLines: 1 };
    const basket = basketIn(floor);
    expect(refusal(() => basket.decide(add('hat'))).code).to.equal('product-not-found');
    expect(refusal(() => basket.decide(add('pen'))).code).to.equal('product-not-purchasable');
    expect(refusal(() => basket.decide(add('tea', 10))).code).to.equal('quantity-too-large');
    basket.decide(add('mug', 2));
    const short = refusal(() => basket.decide(add('mug', 2)));
    expect(short.code).to.equal('out-of-stock');
    expect(short.details).to.deep.equal({ requestedQuantity: 4, availableQuantity: 3 });
    expect(short.message).to.include('4').and.to.include('3');
    expect(refusal(() => basket.decide(add('tea'))).code).to.equal('basket-full');
  });

  it('checks a new quantity like an added one and stays as it was', () => {
    const basket = basketIn({ ...shop, stock: { mug: 3 } });
    basket.decide(add('mug', 2));
    expect(refusal(() => basket.decide(setQuantity('mug', 4))).code).to.equal('out-of-stock');
    expect(basket.state().basket?.itemCount).to.equal(2);
  });

  it('counts what its own unpaid order holds as available to it', () => {
    const floor = { ...shop, stock: { mug: 1 } };
    const basket = basketIn(floor);
    basket.decide(add('mug', 1));
    basket.record(
      placementStarted({ holds: [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 1 }] }),
    );
    basket.record(placementEnded());
    const allReserved = { ...shop, stock: { mug: 0 } };
    expect(refusal(() => basket.decide(add('mug', 1), allReserved)).details).to.include({
      availableQuantity: 1,
    });
    expect(basket.decide(setQuantity('mug', 2), { ...shop, stock: { mug: 1 } })).to.have.length(1);
  });

  it('has nothing to do when the quantity is that already', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug', 2));
    expect(basket.decide(setQuantity('mug', 2))).to.deep.equal([]);
  });

  it('loses a line that is set to nothing or taken out, and taking it out twice is no mistake', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug', 2));
    basket.decide(add('pen'));
    expect(basket.decide(setQuantity('mug', 0)).map((event) => event.type)).to.deep.equal([
      'BasketLineRemoved',
    ]);
    expect(basket.decide(takeOut('pen'))[0]?.data).to.deep.include({ quantity: 1, itemCount: 0 });
    expect(basket.decide(takeOut('pen'))).to.deep.equal([]);
    expect(basket.state().basket?.totals.total).to.equal(0);
  });

  it('does not know a line that it never had', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug'));
    expect(refusal(() => basket.decide(setQuantity('pen', 1))).code).to.equal('line-not-found');
  });

  it('is gone once it has been cleared', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug'));
    expect(basket.decide({ type: 'ClearBasket' })).to.deep.equal([
      { type: 'BasketCleared', data: { currency: 'GBP', customerId: null } },
    ]);
    expect(basket.decide({ type: 'ClearBasket' })).to.deep.equal([]);
    expect(refusal(() => basket.decide(takeOut('mug'))).code).to.equal('basket-not-found');
  });

  it('does not change while an order is being made of it, and does again afterwards', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug'));
    basket.record(placementStarted());
    for (const command of [
      add('pen'),
      setQuantity('mug', 2),
      takeOut('mug'),
      { type: 'ClearBasket' } as const,
    ]) {
      expect(refusal(() => basket.decide(command)).code).to.equal('order-being-placed');
    }
    basket.record(placementEnded());
    expect(basket.decide(add('pen'))).to.have.length(1);
  });

  it('takes today’s price for every line whenever it changes', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug'));
    basket.decide(add('pen'), { offers: { ...shop.offers, mug: offer(1000, 20) } });
    expect(basket.state().basket?.lines.map((line) => line.unitPrice)).to.deep.equal([1000, 150]);
    expect(basket.state().basket?.totals).to.include({ subTotal: 1150, tax: 200, total: 1350 });
  });

  it('is repriced only when something has moved', () => {
    const basket = basketIn(shop);
    basket.decide(add('mug'));
    const command = { type: 'RepriceBasket', destination: null } as const;
    expect(basket.decide(command)).to.deep.equal([]);
    const [repriced] = basket.decide(command, { offers: { ...shop.offers, mug: offer(1000, 20) } });
    expect(repriced?.type).to.equal('BasketRepriced');
    expect(
      basket.decide({ type: 'RepriceBasket', destination: { ...london, countryCode: 'FR' } }),
    ).to.have.length(1);
  });

  it('says which code fell away with the line that had earned it', () => {
    const big = percentOff('BIG', 10, { minimumPurchaseAmount: 1300 });
    const floor = { ...shop, discounts: [big] };
    const basket = basketIn(floor);
    basket.decide(add('mug'));
    basket.decide(add('pen'));
    const totals = basket.state().basket?.totals;
    if (totals === undefined) return expect.fail('no basket');
    basket.record([
      checkoutEvents.create.DiscountCodeApplied({
        ...codeOf(big),
        pricing: { totals, discounts: [], changedLines: [] },
      }),
    ]);
    const [removed, dropped] = basket.decide(takeOut('pen'));
    expect(removed?.type).to.equal('BasketLineRemoved');
    expect(dropped?.type === 'DiscountCodeRemoved' && dropped.data.reason).to.equal(
      'BIG needs items for at least £13.00.',
    );
    expect(basket.state().basket?.codes).to.deep.equal([]);
  });

  it('writes what its events promise, and keeps a state of plain JSON', () => {
    const basket = basketIn({ ...shop, discounts: [percentOff('TEN', 10)] });
    const events = [add('mug', 2), add('pen'), add('pen'), takeOut('mug')].flatMap((command) =>
      basket.decide(command),
    );
    for (const event of events) {
      expect(eventDefinition(event.type)?.schema.parse(event.data), event.type).to.deep.equal(event.data);
    }
    expect(JSON.parse(JSON.stringify(basket.state()))).to.deep.equal(basket.state());
    expect(basketDecider.subject?.('the-basket', basket.state())).to.deep.equal({
      id: 'the-basket',
      customerId: null,
    });
  });
});
