import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  chooseCurrency,
  giveAddresses,
  initialize,
  manage,
  pay,
  payInvoice,
  showBasket,
} from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const setRates = (rates: object) =>
  manage.put('/exchange-rate-providers/manual/settings', { configuration: { rates } });

/** A store in dollars, with tax on shipping and a code, that shows yen and dinars. */
const openStore = async () => {
  const shop = await TestShop.open({
    settings: { storeCurrencyCode: 'USD', defaultShippingCountry: 'GB', isShippingTaxable: true },
  });
  const mug = await shop.sell('mug', { price: 19.99 });
  const pen = await shop.sell('pen', { price: 0.35 });
  await shop.discount('TEN', 10);
  await shop.admin.ask(setRates({ JPY: 149.53, KWD: 0.30715, EUR: 0.9213 }));
  await shop.settle();
  return { shop, mug, pen };
};

const figuresOf = ({ body }: ApiResponse) => ({
  subTotal: body.displaySubTotal,
  discountTotal: body.displayDiscount,
  shippingCost: body.displayShipping,
  tax: body.displayTax,
  total: body.displayTotal,
});

describe('a purchase in another currency than the store’s', () => {
  for (const [currency, decimals] of [
    ['JPY', 0],
    ['KWD', 3],
    ['EUR', 2],
  ] as const) {
    it(`${currency}: what was shown is what is invoiced, charged and told; reports stay in dollars`, async () => {
      const { shop, mug, pen } = await openStore();
      const shopper = shop.shopper();
      const steps = [add(mug, 3), add(pen, 7), chooseCurrency({ currencyCode: currency })];
      for (const step of [...steps, giveAddresses(), initialize(), applyCode('TEN')])
        expect((await shopper.ask(step)).status).to.equal(200);
      await shop.settle();
      const basket = await shopper.ask(showBasket());
      const shown = figuresOf(basket);
      expect(shown.subTotal - shown.discountTotal + shown.shippingCost + shown.tax).to.be.closeTo(
        shown.total,
        1e-9,
      );
      const placed = await shopper.ask(pay());
      const { invoiceId } = placed.body;
      const paid = await shopper.ask(payInvoice(invoiceId));
      expect(paid.body).to.include({ success: true, status: 'Completed' });
      await shop.settle();
      const { body: order } = await shop.admin.ask(manage.get(`/orders/${invoiceId}`));
      expect(order).to.deep.include({
        ...shown,
        currencyCode: currency,
        storeCurrencyCode: 'USD',
        isMultiCurrency: true,
        pricingExchangeRateSource: 'manual',
        totalInStoreCurrency: basket.body.total,
        subTotalInStoreCurrency: basket.body.subTotal,
        taxInStoreCurrency: basket.body.tax,
        discountTotalInStoreCurrency: basket.body.discount,
        amountPaid: shown.total,
        balanceDue: 0,
      });
      expect(order.pricingExchangeRate).to.be.closeTo(1 / basket.body.exchangeRate, 1e-12);
      const sumOf = (field: string): number =>
        order.orders[0].lineItems.reduce(
          (all: number, line: Record<string, number>) => all + (line[field] ?? 0),
          0,
        );
      expect(sumOf('lineTotal')).to.be.closeTo(shown.subTotal, 1e-9);
      expect(sumOf('discount')).to.be.closeTo(shown.discountTotal, 1e-9);
      expect(basket.body.formattedDisplayTotal).to.match(
        new RegExp(`\\d${decimals ? `\\.\\d{${decimals}}` : ''}$`),
      );
      expect((await shop.charges()).at(-1)).to.include({ invoiceId, amount: shown.total, currency });
      const { body: row } = await shop.admin.ask(manage.get('/orders'));
      expect(row.items[0]).to.include({ total: shown.total, totalInStoreCurrency: basket.body.total });
      const day = String(order.dateCreated).slice(0, 10);
      const { body: sales } = await shop.admin.ask(
        manage.get(`/reporting/breakdown?startDate=${day}&endDate=${day}&compareMode=None`),
      );
      expect(sales.totalSales).to.equal(basket.body.total);
      await shop.close();
    });
  }

  it('uses an unpaid invoice again only while everything is shown as it was', async () => {
    const { shop, mug } = await openStore();
    const shopper = shop.shopper();
    const choose = (currencyCode: string) => shopper.ask(chooseCurrency({ currencyCode }));
    const order = async (): Promise<string> => {
      const answer = await shopper.ask(pay());
      expect(answer.status, answer.text).to.equal(200);
      await shop.settle();
      return answer.body.invoiceId as string;
    };
    for (const step of [add(mug), giveAddresses(), initialize()]) await shopper.ask(step);
    const inDollars = await order();
    expect(await order()).to.equal(inDollars);
    await choose('JPY');
    const inYen = await order();
    expect(inYen).not.to.equal(inDollars);
    const { body: older } = await shop.admin.ask(manage.get(`/orders/${inDollars}`));
    expect(older).to.include({ isCancelled: true, currencyCode: 'USD' });
    // A rate that shows the very same figures changes nothing: the invoice keeps the one it has.
    await shop.admin.ask(setRates({ JPY: 149.5301 }));
    await shop.settle();
    expect(await order()).to.equal(inYen);
    const { body: kept } = await shop.admin.ask(manage.get(`/orders/${inYen}`));
    expect(kept.pricingExchangeRate).to.be.closeTo(1 / 149.53, 1e-12);
    await shop.admin.ask(setRates({ JPY: 160 }));
    await shop.settle();
    expect(await order()).not.to.equal(inYen);
    await shop.close();
  });

  it('is begun in the currency of the country, by those who have chosen none', async () => {
    const { shop, mug } = await openStore();
    const chosen = shop.shopper();
    const undecided = shop.shopper();
    await chosen.ask(chooseCurrency({ currencyCode: 'KWD' }));
    for (const shopper of [chosen, undecided]) await shopper.ask(add(mug));
    const begun = await undecided.ask(initialize({ countryCode: 'FR' }));
    expect(begun.body).to.deep.include({ success: true, currencyDecimalPlaces: 2 });
    expect(begun.body.basket).to.include({ displayCurrencyCode: 'EUR', displaySubTotal: 18.42 });
    expect(undecided.cookies.get('shop_currency')).to.equal('EUR');
    const stays = await chosen.ask(initialize({ countryCode: 'FR' }));
    expect(stays.body.basket).to.include({ displayCurrencyCode: 'KWD' });
    const unquoted = shop.shopper();
    await unquoted.ask(add(mug));
    const inDollars = await unquoted.ask(initialize({ countryCode: 'CH' }));
    expect(inDollars.body.basket).to.include({ displayCurrencyCode: 'USD' });
    expect(unquoted.cookies.has('shop_currency')).to.equal(false);
    await shop.close();
  });
});
