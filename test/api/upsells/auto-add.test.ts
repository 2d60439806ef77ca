import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { add, keyed, manage, takeOut } from '#test/support/requests.ts';
import { events } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

interface Line {
  readonly id: string;
  readonly sku: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly taxRate: number;
}

const linesOf = ({
  body,
}: {
  readonly body: { readonly lineItems: readonly Line[] };
}): Readonly<Record<string, number>> =>
  Object.fromEntries(body.lineItems.map(({ sku, quantity }) => [sku, quantity]));

describe('rules that put something into a basket by themselves', () => {
  let shop: TestShop;
  let ids: Readonly<Record<'mug' | 'cup' | 'plate' | 'spoon', string>>;

  before(async () => {
    shop = await TestShop.open();
    ids = {
      mug: await shop.sell('mug', { price: 10, stock: 50 }),
      cup: await shop.sell('cup', { price: 5, stock: 50 }),
      plate: await shop.sell('plate', { price: 7, stock: 0 }),
      spoon: await shop.sell('spoon', { price: 2 }),
    };
  });
  after(() => shop.close());

  const { make, when } = managing(() => shop);
  const made: string[] = [];
  const rule = async (changes: object = {}): Promise<void> => {
    const { id } = await make('/upsells', {
      name: 'Cups',
      heading: 'Cups',
      status: 'Active',
      displayLocation: 'None',
      autoAddToBasket: true,
      triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [ids.mug] }],
      recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [ids.cup] }],
      ...changes,
    });
    made.push(id as string);
  };
  afterEach(async () => {
    for (const id of made.splice(0)) await when(manage.delete(`/upsells/${id}`)).then(204);
  });
  const shopperWith = async (...products: readonly string[]): Promise<Shopper> => {
    const shopper = shop.shopper();
    for (const productId of products) await shopper.add(productId);
    return shopper;
  };

  it('leave an add as it is where there are none', async () => {
    await shop.given().when(add(ids.mug)).then(200).and(events('BasketStarted', 'BasketLineAdded'));
  });

  it('answer an add with a basket that has both, the second as any other line', async () => {
    await rule();
    const { body } = await shop
      .given()
      .when(add(ids.mug, 2))
      .then(200, { success: true, itemCount: 3, subTotal: 25 })
      .and(events('BasketStarted', 'BasketLineAdded', 'BasketLineAdded'));
    const [, cup] = body.lineItems as readonly Line[];
    expect(cup).to.include({ sku: 'cup', quantity: 1, unitPrice: 5, taxRate: 20 });
    await shop
      .given(add(ids.cup))
      .when(add(ids.mug))
      .then(200, { itemCount: 2 })
      .and(events('BasketLineAdded'));
  });

  it('do not put in again what the shopper has taken out, in this basket', async () => {
    await rule();
    const shopper = await shopperWith(ids.mug);
    const { body } = await shopper.basket();
    const cup = (body.lineItems as readonly Line[]).find(({ sku }) => sku === 'cup');
    await shopper.ask(takeOut(cup?.id ?? ''));
    expect(linesOf(await shopper.add(ids.mug))).to.deep.equal({ mug: 2 });
    expect(linesOf(await (await shopperWith(ids.mug)).basket())).to.deep.equal({ mug: 1, cup: 1 });
  });

  it('never break an add: what is sold out, or not sold so, stays out, and the rest comes', async () => {
    const engraving = { name: 'Engraving', isVariant: false, isRequired: true, values: [{ name: 'Ada' }] };
    const engraved = await shop.sell('engraved', { price: 9, options: [engraving] });
    const all = [ids.plate, engraved, ids.cup];
    await rule({ recommendationRules: [{ recommendationType: 'SpecificProducts', ids: all }] });
    const { body } = await shop.given().when(add(ids.mug)).then(200, { success: true });
    expect(linesOf({ body })).to.deep.equal({ mug: 1, cup: 1 });
  });

  it('put a product in once, though two adds come at once, and one comes again under its key', async () => {
    await rule();
    const shopper = await shopperWith(ids.spoon);
    const both = await Promise.all([shopper.add(ids.mug), shopper.add(ids.mug)]);
    for (const { status } of both) expect(status).to.equal(200);
    expect(linesOf(await shopper.basket())).to.deep.equal({ spoon: 1, mug: 2, cup: 1 });
    const again = await shopperWith(ids.spoon);
    for (let turn = 0; turn < 2; turn++) await again.ask(keyed('once', add(ids.mug)));
    expect(linesOf(await again.basket())).to.deep.equal({ spoon: 1, mug: 1, cup: 1 });
  });
});
