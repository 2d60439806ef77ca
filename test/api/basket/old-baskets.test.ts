import { expect } from 'chai';
import { add } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const DAYS = 90;

describe('baskets that nobody has touched for long', () => {
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  afterEach(() => shop.close());

  const advanceDays = (days: number) => shop.tester.post('/testing/clock', { advanceSeconds: days * 86_400 });
  const sweep = async (): Promise<number> => {
    const { status, body } = await shop.tester.post('/testing/jobs/sweep-views');
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.removed as number;
  };
  /** How many documents the view of baskets has. */
  const kept = async (): Promise<number> => {
    const { readStore } = shop.shop.runtime;
    const [collection = ''] = (await readStore.collections()).filter((name) =>
      /^basket[_.-]?v?\d/.test(name),
    );
    return readStore.count(collection);
  };
  const withMug = async (): Promise<Shopper> => {
    const shopper = shop.shopper();
    expect((await shopper.ask(add(mug))).status).to.equal(200);
    return shopper;
  };
  const shown = async (shopper: Shopper) => {
    const { body } = await shopper.basket();
    return body.basket?.lineItems ?? body.lineItems;
  };

  it('leave the view, and come back from their events as they were when they are asked for', async () => {
    const shopper = await withMug();
    await shop.settle();
    const before = await shopper.basket();
    await advanceDays(DAYS - 1);
    expect(await sweep()).to.equal(0);
    await advanceDays(2);
    expect(await sweep()).to.equal(1);
    expect(await kept()).to.equal(0);
    const after = await shopper.basket();
    expect(after.body).to.deep.equal(before.body);
  });

  it('come back into the view with the next change, whole', async () => {
    const shopper = await withMug();
    await shopper.ask(add(mug, 2));
    await shop.settle();
    await advanceDays(DAYS + 1);
    expect(await sweep()).to.equal(1);
    await shopper.ask(add(mug, 4));
    await shop.settle();
    const lines = (await shown(shopper)) as readonly { readonly quantity: number }[];
    expect(lines.map(({ quantity }) => quantity)).to.deep.equal([7]);
    expect(await sweep(), 'changed a moment ago').to.equal(0);
    expect(await kept()).to.equal(1);
  });

  it('stay where an order was made of them, and where a change is younger than the retention', async () => {
    const buyer = shop.shopper();
    await buyer.prepare(mug, 1, 'ada@example.com');
    const { body } = await buyer.pay();
    await buyer.payWith(body.invoiceId as string);
    const [old, changed] = [await withMug(), await withMug()];
    await shop.settle();
    await advanceDays(DAYS - 1);
    await changed.ask(add(mug));
    await shop.settle();
    await advanceDays(2);
    expect(await sweep(), 'the old one').to.equal(1);
    expect(await kept()).to.equal(2);
    expect(await shown(old)).to.have.length(1);
  });

  it('go after as many days as the settings say', async () => {
    await withMug();
    await shop.settle();
    await shop.admin.put('/backoffice/api/v1/settings', { basketRetentionDays: 7 });
    await advanceDays(8);
    expect(await sweep()).to.equal(1);
  });
});
