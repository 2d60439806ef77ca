import { expect } from 'chai';
import {
  add,
  chooseCurrency,
  giveAddresses,
  initialize,
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
  const orderOf = async (invoiceId: string) =>
    (await shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;

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
    await shop.settle();
    const order = await orderOf(invoiceId);
    expect(order).to.include({ ...placed, amountPaid: 4640, balanceDue: 0, creditDue: 0 });
    expect(order.pricingExchangeRate).to.be.closeTo(1 / 160, 1e-12);
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
    await shop.settle();
    expect(await orderOf(invoiceId)).to.include({ currencyCode: 'USD', total: 29, amountPaid: 29 });
  });
});
