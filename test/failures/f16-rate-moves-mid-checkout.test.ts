import { expect } from 'chai';
import { eventsIn } from '#test/support/shop-log.ts';
import {
  add,
  chooseCurrency,
  giveAddresses,
  initialize,
  keyed,
  manage,
  pay,
  payInvoice,
  showBasket,
} from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/rules/currency.md */
describe('F16: a rate that moves while a shopper checks out', () => {
  let shop: TestShop;

  beforeEach(async () => {
    shop = await TestShop.open({ settings: { storeCurrencyCode: 'USD' } });
  });
  afterEach(() => shop.close());

  const setRate = async (JPY: number): Promise<void> => {
    const configuration = { rates: { JPY } };
    const { status } = await shop.admin.ask(
      manage.put('/exchange-rate-providers/manual/settings', { configuration }),
    );
    expect(status).to.equal(200);
    await shop.settle();
  };
  const orderOf = async (invoiceId: string) => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
  };

  it('is locked when the order is placed, and moves nothing afterwards', async () => {
    // 20.00 and 20 % tax, 5.00 shipping: 29.00 dollars.
    const mug = await shop.sell('mug', { price: 20 });
    await setRate(150);
    const shopper = shop.shopper();
    for (const step of [add(mug), chooseCurrency({ currencyCode: 'JPY' }), giveAddresses(), initialize()])
      expect((await shopper.ask(step)).status).to.equal(200);
    expect((await shopper.ask(showBasket())).body).to.include({ total: 29, displayTotal: 4350 });

    await setRate(160);
    expect((await shopper.ask(showBasket())).body).to.include({ total: 29, displayTotal: 4640 });
    const { invoiceId } = (await shopper.ask(pay())).body;
    const placed = { currencyCode: 'JPY', total: 4640, totalInStoreCurrency: 29 };

    await setRate(200);
    expect(await orderOf(invoiceId)).to.include({ ...placed, balanceDue: 4640 });
    const paid = await shopper.ask(payInvoice(invoiceId));
    expect(paid.body).to.include({ success: true, status: 'Completed' });
    expect((await shop.charges()).at(-1)).to.include({ invoiceId, amount: 4640, currency: 'JPY' });

    await setRate(100);
    const order = await orderOf(invoiceId);
    expect(order).to.include({ ...placed, amountPaid: 4640, balanceDue: 0, creditDue: 0 });
    expect(order.pricingExchangeRate).to.be.closeTo(1 / 160, 1e-12);
  });

  /** 29.00 dollars, last shown in yen at this rate. */
  const shownAt = async (rate: number, sku = 'mug') => {
    const mug = await shop.sell(sku, { price: 20 });
    await setRate(rate);
    const shopper = shop.shopper();
    for (const step of [add(mug), chooseCurrency({ currencyCode: 'JPY' }), giveAddresses(), initialize()])
      expect((await shopper.ask(step)).status).to.equal(200);
    return shopper;
  };
  const placements = async () =>
    (await eventsIn(shop)).filter(({ type }) => type === 'OrderPlacementStarted').length;

  it('that makes an order dearer than it was shown is asked about first, and the second press buys', async () => {
    const shopper = await shownAt(150);
    await setRate(160);
    const before = (await eventsIn(shop)).length;
    const asked = await shopper.ask(keyed('one press', pay()));
    expect(asked).to.include({ status: 400, code: 'basket-changed' });
    const message = 'Prices have changed since the basket was last shown. Look at it and pay again.';
    expect(asked.body).to.deep.include({ success: false, message, warnings: [] });
    expect(asked.body.basket).to.include({ total: 29, displayTotal: 4640, exchangeRate: 160 });
    expect(asked.headers.getSetCookie().join()).to.include('shop_shown=JPY.160;');
    expect((await eventsIn(shop)).length).to.equal(before);

    const { status, body } = await shopper.ask(keyed('one press', pay()));
    expect(status).to.equal(200);
    expect(await orderOf(body.invoiceId)).to.include({ total: 4640, totalInStoreCurrency: 29 });
  });

  it('moves an unpaid order only after the shopper was asked, and lets it be when it is back', async () => {
    const shopper = await shownAt(150);
    const { invoiceId } = (await shopper.ask(pay())).body;
    await setRate(160);
    expect(await shopper.ask(pay())).to.include({ status: 400, code: 'basket-changed' });
    expect(await placements()).to.equal(1);
    await setRate(140);
    await shopper.ask(showBasket());
    await setRate(150);
    expect(await shopper.ask(pay())).to.include({ status: 400, code: 'basket-changed' });
    expect((await shopper.ask(pay())).body.invoiceId).to.equal(invoiceId);
    await setRate(160);
    await shopper.ask(pay());
    const dearer = (await shopper.ask(pay())).body.invoiceId;
    expect(dearer).not.to.equal(invoiceId);
    expect(await orderOf(dearer)).to.include({ total: 4640 });
  });

  it('that makes it cheaper, or was not shown, is charged as it is', async () => {
    const shopper = await shownAt(150);
    await setRate(140);
    const { invoiceId } = (await shopper.ask(pay())).body;
    expect(await orderOf(invoiceId)).to.include({ total: 4060 });
    for (const said of [
      null,
      'EUR.0.9',
      'JPY',
      'JPY.',
      'JPY.1e2',
      'JPY.0',
      `JPY.${'9'.repeat(60)}`,
      '.150',
    ]) {
      const other = await shownAt(150, `mug ${said}`);
      await setRate(160);
      if (said === null) other.cookies.delete('shop_shown');
      else other.cookies.set('shop_shown', said);
      expect((await other.ask(pay())).status, String(said)).to.equal(200);
    }
  });

  it('counts together with the price: what is paid is no more than was shown in the currency that is paid in', async () => {
    const shopper = await shownAt(150);
    const { body } = await shop.admin.ask(manage.get('/products?search=mug'));
    const reprice = async (price: number) => {
      const [product] = body.items as { id: string; variants: { id: string }[] }[];
      const path = `/products/${product?.id}/variants/${product?.variants[0]?.id}`;
      expect((await shop.admin.ask(manage.put(path, { price }))).status).to.equal(200);
      await shop.settle();
    };
    // 30.20 dollars at 140: 4,228 yen, of 4,350 that were shown.
    await reprice(21);
    await setRate(140);
    const { invoiceId } = (await shopper.ask(pay())).body;
    expect(await orderOf(invoiceId)).to.include({ total: 4228, totalInStoreCurrency: 30.2 });
    // 27.80 dollars at 160: 4,448 yen, of 4,228.
    await shopper.ask(showBasket());
    await reprice(19);
    await setRate(160);
    const asked = await shopper.ask(pay());
    expect(asked).to.include({ status: 400, code: 'basket-changed' });
    expect(asked.body.basket).to.include({ total: 27.8, displayTotal: 4448 });
    expect((await shopper.ask(pay())).status).to.equal(200);
  });

  it('that is gone when the order is placed leaves the shop its own currency', async () => {
    const mug = await shop.sell('mug', { price: 20 });
    await setRate(150);
    const shopper = shop.shopper();
    for (const step of [add(mug), chooseCurrency({ currencyCode: 'JPY' }), giveAddresses(), initialize()])
      await shopper.ask(step);
    await shop.admin.ask(
      manage.put('/exchange-rate-providers/manual/settings', { configuration: { rates: { EUR: 0.9 } } }),
    );
    await shop.settle();
    const { invoiceId } = (await shopper.ask(pay())).body;
    expect((await shopper.ask(payInvoice(invoiceId))).body).to.include({ success: true });
    expect(await orderOf(invoiceId)).to.include({ currencyCode: 'USD', total: 29, amountPaid: 29 });
  });
});
