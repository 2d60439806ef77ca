import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  changeLine,
  chooseCountry,
  chooseCurrency,
  estimateShipping,
  get,
  giveAddresses,
  initialize,
  manage,
  selectShipping,
  showBasket,
  showCountry,
  showCurrency,
  showShipping,
  type Step,
} from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const setRates = (rates: object) =>
  manage.put('/exchange-rate-providers/manual/settings', { configuration: { rates } });

/** No cookie of those by which a shopper's currency or country is known. */
const noCookies: Check = ({ answer }) =>
  expect(answer.headers.getSetCookie().join()).not.to.contain('shop_c');

const cookiesOf = (answer: { readonly headers: Headers }): string[] =>
  answer.headers.getSetCookie().filter((line) => /^shop_(currency|country|region)/.test(line));

describe("a shopper's currency", () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 19.99 });
    await shop.admin.ask(setRates({ EUR: 1.17, JPY: 190.15, KWD: 0.387 }));
    await shop.settle();
  });
  after(() => shop.close());

  it("is the store's until they choose one", async () => {
    await shop
      .given()
      .when(showCurrency())
      .then(200, { currencyCode: 'GBP', currencySymbol: '£', decimalPlaces: 2 });
    await shop
      .given(add(mug, 2))
      .when(showBasket())
      .then(200, { displayCurrencyCode: 'GBP', exchangeRate: 1, displaySubTotal: 39.98 });
  });

  it('is kept in a cookie that scripts may read, for 30 days, and everything is shown in it', async () => {
    const shopper = shop.shopper();
    const told = { success: true, currencyCode: 'JPY', currencySymbol: '¥', decimalPlaces: 0 };
    const answer = await shop
      .given(add(mug, 2))
      .by(shopper)
      .when(chooseCurrency({ currencyCode: 'jpy' }))
      .then(200, told)
      .and(events('BasketCurrencyChanged'));
    expect(cookiesOf(answer)).to.deep.equal(['shop_currency=JPY; Path=/; Max-Age=2592000; SameSite=Lax']);
    await shop.given().by(shopper).when(showCurrency()).then(200, told);
    const { body: basket } = await shop.given().by(shopper).when(showBasket()).then(200, {
      currency: 'GBP',
      currencySymbol: '£',
      subTotal: 39.98,
      total: 47.98,
      displayCurrencyCode: 'JPY',
      displayCurrencySymbol: '¥',
      exchangeRate: 190.15,
      displaySubTotal: 7602,
      displayTotal: 9123,
      displayTax: 1521,
      formattedDisplayTotal: '¥9,123',
    });
    expect(basket.lineItems[0]).to.include({
      unitPrice: 19.99,
      displayUnitPrice: 3801,
      displayLineTotal: 7602,
    });
    const context = await shopper.get('/api/shop/storefront/context');
    expect(context.body.currency).to.deep.equal({
      currencyCode: 'JPY',
      currencySymbol: '¥',
      decimalPlaces: 0,
    });
    expect(context.body.basket).to.include({ formattedTotal: '£47.98', formattedDisplayTotal: '¥9,123' });
  });

  it('is remembered with its rate by whatever shows the basket in it, once, where no script reads it', async () => {
    const shopper = shop.shopper();
    const remembered = ({ headers }: { readonly headers: Headers }) =>
      headers.getSetCookie().filter((line) => line.startsWith('shop_shown'));
    await shop.rule('SHOWN', { method: 'Code', code: 'SHOWN' });
    const inStoreCurrency = await shopper.ask(add(mug));
    expect(remembered(inStoreCurrency)).to.deep.equal([]);
    await shopper.ask(chooseCurrency({ currencyCode: 'JPY' }));
    const basket = (await shopper.ask(showBasket())).body;
    const selected = ({ body: { shippingGroups } }: ApiResponse) =>
      selectShipping({
        selections: { [shippingGroups[0].groupId]: shippingGroups[0].shippingOptions[0].selectionKey },
      });
    const steps: Step[] = [
      add(mug),
      changeLine({ lineItemId: basket.lineItems[0].id, quantity: 3 }),
      showBasket(),
      get('/api/shop/storefront/basket?includeAvailability=true'),
      get('/api/shop/storefront/basket/count'),
      get('/api/shop/storefront/context'),
      get('/api/shop/checkout/basket'),
      estimateShipping(),
      giveAddresses(),
      initialize(),
      showShipping(),
      selected,
      applyCode('SHOWN'),
    ];
    let last = await shopper.ask(showBasket());
    for (const made of steps) {
      shopper.cookies.delete('shop_shown');
      const step = typeof made === 'function' ? made(last) : made;
      last = await shopper.ask(step);
      const shown = remembered(last);
      const attributes = 'Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax';
      expect(shown, step.path).to.deep.equal([`shop_shown=JPY.190.15; ${attributes}`]);
      if (step.method === 'GET') expect(remembered(await shopper.ask(step)), step.path).to.deep.equal([]);
    }
    const nobody = shop.shopper();
    await nobody.ask(chooseCurrency({ currencyCode: 'JPY' }));
    expect(remembered(await nobody.ask(showBasket()))).to.deep.equal([]);
  });

  it('may have three decimals, of which the last is 0', async () => {
    await shop
      .given(add(mug), chooseCurrency({ code: 'KWD' }))
      .when(showBasket())
      .then(200, { displaySubTotal: 7.74, formattedDisplaySubTotal: 'KWD\u00a07.740' });
  });

  it('that is chosen again changes nothing', async () => {
    await shop
      .given(add(mug), chooseCurrency({ currencyCode: 'EUR' }))
      .when(chooseCurrency({ currencyCode: 'EUR' }))
      .then(200)
      .and(noNewEvents());
  });

  it('must be one that is known and has a rate; a refusal sets no cookie', async () => {
    for (const currencyCode of [undefined, null, '', 'EURO', 'XXX', 7]) {
      await shop
        .given(add(mug))
        .when(chooseCurrency({ currencyCode }))
        .then(400, { success: false })
        .and(noCookies)
        .and(body(({ message }) => expect(message).to.match(/currencyCode/)))
        .and(noNewEvents());
    }
    await shop
      .given(add(mug))
      .when(chooseCurrency({ currencyCode: 'CHF' }))
      .then(400, {
        message: 'currencyCode: must be a currency with an exchange rate, not CHF.',
      })
      .and(refusedFor('currency-not-available'))
      .and(noCookies)
      .and(noNewEvents());
  });

  it('whose rate is gone, or that was never one, is the currency of the store', async () => {
    for (const made of ['CHF', 'nonsense', '__proto__']) {
      const shopper = shop.shopper();
      shopper.cookies.set('shop_currency', made);
      await shop
        .given(add(mug))
        .by(shopper)
        .when(showBasket())
        .then(200, { displayCurrencyCode: 'GBP', exchangeRate: 1, formattedDisplaySubTotal: '£19.99' });
    }
  });

  describe('follows the country', () => {
    it('that they choose to be delivered to', async () => {
      const answer = await shop
        .given(add(mug))
        .when(chooseCountry({ countryCode: 'de', regionCode: 'BE' }))
        .then(200, {
          countryCode: 'DE',
          countryName: 'Germany',
          regionCode: 'BE',
          currencyCode: 'EUR',
          currencySymbol: '€',
          decimalPlaces: 2,
          country: { code: 'DE', name: 'Germany' },
          currency: { currencyCode: 'EUR', currencySymbol: '€', decimalPlaces: 2 },
        })
        .and(events('BasketCurrencyChanged', 'BasketRepriced'));
      expect(cookiesOf(answer)).to.deep.equal([
        'shop_country=DE; Path=/; Max-Age=2592000; SameSite=Lax',
        'shop_region=BE; Path=/; Max-Age=2592000; SameSite=Lax',
        'shop_currency=EUR; Path=/; Max-Age=2592000; SameSite=Lax',
      ]);
    });

    it('also over a currency that they chose before, and forgets the region of another country', async () => {
      const shopper = shop.shopper();
      await shop
        .given(
          chooseCountry({ countryCode: 'DE', regionCode: 'BE' }),
          chooseCurrency({ currencyCode: 'JPY' }),
        )
        .by(shopper)
        .when(chooseCountry({ code: 'GB' }))
        .then(200, { currencyCode: 'GBP', regionCode: null });
      expect([...shopper.cookies.keys()]).not.to.include('shop_region');
      await shop.given().by(shopper).when(showCountry()).then(200, {
        code: 'GB',
        name: 'United Kingdom',
        countryCode: 'GB',
        countryName: 'United Kingdom',
        regionCode: null,
        regionName: null,
      });
    });

    it('which must be known, served and have a currency with a rate; a refusal sets no cookie', async () => {
      const refusals = [
        [{}, /countryCode/],
        [{ countryCode: null }, /countryCode/],
        [{ countryCode: 'Atlantis' }, /countryCode: must be an ISO 3166-1 country code/],
        [{ countryCode: 'DE', regionCode: 'Atlantis' }, /regionCode: must be a region of Germany/],
        [{ countryCode: 'CH' }, /countryCode: prices cannot be shown in CHF/],
      ] as const;
      for (const [asked, message] of refusals) {
        await shop
          .given(add(mug))
          .when(chooseCountry(asked))
          .then(400, { success: false })
          .and(body((refusal) => expect(refusal.message).to.match(message)))
          .and(noCookies)
          .and(noNewEvents());
      }
    });
  });
});

describe('a country that the shop does not deliver to', () => {
  it('cannot be chosen; without any rate each one that it does goes with the currency of the store', async () => {
    const shop = await TestShop.open();
    const warehouse = (await shop.admin.ask(manage.get('/warehouses'))).body.items[0];
    const serviceRegions = [{ countryCode: 'GB' }, { countryCode: 'DE' }];
    await shop.admin.ask(manage.put(`/warehouses/${warehouse.id}`, { serviceRegions }));
    await shop.settle();
    await shop
      .given()
      .when(chooseCountry({ countryCode: 'FR' }))
      .then(400, { message: 'countryCode: must be a country that the shop delivers to, not France.' })
      .and(noCookies);
    await shop
      .given()
      .when(chooseCountry({ countryCode: 'DE' }))
      .then(200, { currencyCode: 'GBP' });
    await shop.close();
  });
});
