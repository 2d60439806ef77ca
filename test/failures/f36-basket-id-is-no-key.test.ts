import { expect } from 'chai';
import { createBasketCookies } from '#http/basket-cookie.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';
const checkout = '/api/shop/checkout';

const cookieName = 'shop_basket';
const sentBasket = (receiver: Receiver): string => {
  const [sent] = receiver.requests;
  return JSON.parse(String(sent?.body)).data.id;
};

describe('F36: somebody who has met a basket id, not its cookie', () => {
  let shop: TestShop;
  let receiver: Receiver;
  let mug: string;
  let tea: string;
  let victim: Shopper;

  before(async () => {
    receiver = await startReceiver();
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
    await shop.subscribe('basket.created', receiver.url);
    victim = shop.shopper();
    await victim.prepare(mug, 2);
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    await receiver.close();
  });

  const holding = (cookie: string): Shopper => {
    const thief = shop.shopper();
    thief.cookies.set(cookieName, cookie);
    return thief;
  };

  /** Tries everything that a basket's cookie opens; returns what it was told. */
  const tryEverything = async (cookie: string) => {
    const thief = (): Shopper => holding(cookie);
    return {
      read: await thief().basket(),
      count: await thief().get('/api/shop/storefront/basket/count'),
      checkout: await thief().get(`${checkout}/shipping-groups`),
      address: await thief().giveAddress('thief@example.com'),
      place: await thief().initialize(),
      code: await thief().applyCode('TEN'),
      pay: await thief().pay(),
      clear: await thief().post('/api/shop/storefront/basket/clear'),
      add: await thief().add(tea),
    };
  };

  const expectNothing = async (cookie: string): Promise<void> => {
    const mine = (await victim.basket()).body;
    const before = (await eventsIn(shop)).filter(({ stream }) => stream.endsWith(victim.basketId)).length;
    const told = await tryEverything(cookie);
    expect(told.read.body).to.include({ success: true, isEmpty: true, itemCount: 0 });
    expect(told.count.body).to.include({ itemCount: 0 });
    const refused = [told.checkout, told.address, told.place, told.code, told.pay];
    for (const { status, body } of refused) {
      expect(status).to.be.oneOf([400, 404, 405]);
      expect(JSON.stringify(body)).not.to.include(mug);
    }
    expect(told.add.body.id).not.to.equal(victim.basketId);
    expect(told.add.body.itemCount).to.equal(1);
    expect((await victim.basket()).body).to.deep.equal(mine);
    const after = (await eventsIn(shop)).filter(({ stream }) => stream.endsWith(victim.basketId)).length;
    expect(after).to.equal(before);
  };

  it('finds no basket with an id out of a webhook', async () => {
    expect(sentBasket(receiver)).to.equal(victim.basketId);
    await expectNothing(sentBasket(receiver));
  });

  it('finds no basket with an id out of the log', async () => {
    const { body } = await shop.admin.get(`${management}/audit/events?stream=basket-${victim.basketId}`);
    const basketId = String(body.events[0].stream).replace('basket-', '');
    await expectNothing(basketId);
    await expectNothing(basketId.toUpperCase());
  });

  it('finds no basket with a signature that is another shop’s, another basket’s, cut off or made longer', async () => {
    const own = victim.cookies.get(cookieName) ?? '';
    const [basketId = '', signature = ''] = own.split('.');
    expect(signature).to.match(/^[\w-]{43}$/);
    const foreign = createBasketCookies(Buffer.alloc(32, 1)).write(basketId, null).value ?? '';
    const other = shop.shopper();
    await other.add(tea);
    const [, others = ''] = other.cookies.get(cookieName)?.split('.') ?? [];
    const wrong = [foreign, `${basketId}.${others}`, `${basketId}.`, own.slice(0, -1), `${own}A`, `${own}=`];
    for (const cookie of wrong) {
      const thief = holding(cookie);
      expect((await thief.basket()).body.itemCount, cookie).to.equal(0);
      expect((await thief.pay()).status, cookie).to.equal(400);
    }
    expect((await holding(own).basket()).body.itemCount).to.equal(2);
  });

  it('gives a visitor who adds with such an id a basket and a signed cookie of their own', async () => {
    const thief = holding(victim.basketId);
    await thief.add(tea);
    expect(thief.basketId).not.to.equal(victim.basketId);
    expect((await thief.basket()).body.itemCount).to.equal(1);
  });

  it('repeats nothing under an idempotency key of that basket', async () => {
    const add = (shopper: Shopper): Promise<ApiResponse> =>
      shopper.post('/api/shop/storefront/basket/add', { productId: tea }, { 'Idempotency-Key': 'tea' });
    const mine = shop.shopper();
    await mine.add(mug);
    const first = await add(mine);
    const thief = holding(mine.basketId);
    const theirs = await add(thief);
    expect(theirs.body.id).not.to.equal(mine.basketId);
    expect((await add(mine)).body.basket).to.deep.equal(first.body.basket);
    expect((await mine.basket()).body.itemCount).to.equal(2);
  });

  it('pays no invoice of the basket with an id out of the order, and cannot work out the next basket', async () => {
    const buyer = shop.shopper();
    await buyer.prepare(mug);
    const { invoiceId } = (await buyer.pay()).body;
    const boughtId = buyer.basketId;
    // Was not on the invoice: it goes to the next basket.
    await buyer.add(tea);
    const stranger = await holding(boughtId).payWith(invoiceId);
    expect(stranger.status).to.equal(403);
    expect((await buyer.payWith(invoiceId)).body.status).to.equal('Completed');
    await shop.settle();
    const order = (await shop.admin.get(`${management}/orders/${invoiceId}`)).body;
    expect(order.basketId).to.equal(boughtId);
    expect((await holding(order.basketId).payWith(invoiceId)).status).to.equal(403);

    const next = buyer.basketId;
    expect((await buyer.basket()).body.itemCount).to.equal(1);
    expect(next).not.to.equal(boughtId);
    expect(next).not.to.equal(derivedId('next-basket', boughtId));
    for (const guess of [next, derivedId('next-basket', boughtId), newId()])
      expect((await holding(guess).basket()).body.itemCount).to.equal(0);
  });
});
