import { expect } from 'chai';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { clearBasket } from '#test/support/requests.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const HOUR_SECONDS = 3600;

// docs/rules/abandoned-checkouts.md#list
describe('What the backoffice reads of a checkout', () => {
  let shop: TestShop;
  let mug: string;
  let tea: string;
  beforeEach(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
    tea = await shop.sell('tea', { price: 4 });
  });
  afterEach(() => shop.close());

  const read = async (path = '') => {
    await shop.settle();
    return (await shop.admin.get(`/backoffice/api/v1/abandoned-checkouts${path}`)).body;
  };
  const shown = (basketId: string) => read(`/${abandonedCheckoutId(basketId)}`);
  const hoursPass = async (hours: number) => {
    await shop.tester.post('/testing/clock', { advanceSeconds: hours * HOUR_SECONDS });
    await shop.settle();
    await shop.tester.post('/testing/jobs/detect-abandoned');
  };
  /** With the basket that they begin with: who buys gets another one. */
  const arriving = async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, 'ada@example.com');
    return { shopper, basketId: shopper.basketId };
  };
  const buy = async (shopper: Shopper) => {
    await shopper.initialize();
    const { invoiceId } = (await shopper.pay()).body;
    expect((await shopper.payWith(invoiceId as string)).status).to.equal(200);
    return invoiceId as string;
  };
  const skus = ({ lineItems }: { readonly lineItems: readonly { readonly sku: string }[] }) =>
    lineItems.map(({ sku }) => sku);

  it('is nothing while nobody has said who they are', async () => {
    await shop.shopper().add(mug);
    expect(await read()).to.include({ totalItems: 0 });
  });

  it('is the basket as it is while the shopper is at it', async () => {
    const { shopper, basketId } = await arriving();
    await shopper.add(tea);
    const { basketTotal, ...record } = await shown(basketId);
    expect(record).to.include({
      status: 'Active',
      customerEmail: 'ada@example.com',
      basketId,
      itemCount: 2,
    });
    expect(basketTotal).to.equal((await shopper.basket()).body.total);
    expect(skus(record as never)).to.have.members(['mug', 'tea']);
    expect(await read('/stats')).to.include({ totalAbandoned: 0, totalValueAbandoned: 0 });
  });

  it('is converted, and no abandonment, when it is bought right away', async () => {
    const { shopper, basketId } = await arriving();
    const invoiceId = await buy(shopper);
    const record = await shown(basketId);
    expect(record).to.include({ status: 'Converted', recoveredInvoiceId: invoiceId, dateAbandoned: null });
    expect(skus(record)).to.deep.equal(['mug']);
    expect(await read('/stats')).to.include({ totalAbandoned: 0, totalConverted: 0 });
    expect(await read('?status=converted')).to.include({ totalItems: 1 });
  });

  it('is abandoned with its link, then bought, and counts as won', async () => {
    const { shopper, basketId } = await arriving();
    const { total } = (await shopper.basket()).body;
    await hoursPass(1);
    const left = await shown(basketId);
    expect(left).to.include({ status: 'Abandoned', basketTotal: total, recoveryEmailsSent: 0 });
    expect(left.recoveryLink).to.match(/\/checkout\/recover\/[\w-]{43}$/);
    expect(await read('/stats')).to.include({ totalAbandoned: 1, totalValueAbandoned: total });
    await hoursPass(1);
    expect(await shown(basketId)).to.include({ recoveryEmailsSent: 1 });
    await shopper.add(tea);
    expect(await shown(basketId)).to.include({ status: 'Active', dateAbandoned: null, recoveryLink: null });
    const invoiceId = await buy(shopper);
    await shop.settle();
    const { total: ordered } = (await shop.admin.get(`/backoffice/api/v1/orders/${invoiceId}`)).body;
    expect(await shown(basketId)).to.include({ status: 'Converted', basketTotal: ordered, itemCount: 2 });
    expect(await read('/stats')).to.include({
      totalAbandoned: 1,
      totalValueAbandoned: total,
      totalRecovered: 0,
      totalConverted: 1,
      totalValueRecovered: ordered,
      conversionRate: 100,
    });
  });

  it('keeps what was left when the basket is cleared', async () => {
    const { shopper, basketId } = await arriving();
    await hoursPass(1);
    await shopper.ask(clearBasket());
    const record = await shown(basketId);
    expect(record).to.include({ status: 'Abandoned', basketId: null, recoveryLink: null });
    expect(skus(record)).to.deep.equal(['mug']);
  });
});
