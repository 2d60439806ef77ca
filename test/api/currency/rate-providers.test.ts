import { expect } from 'chai';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/exchange-rate-providers';
const setRates = (rates: unknown) => manage.put(`${path}/manual/settings`, { configuration: { rates } });

describe('exchange rate providers', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const staff = () => shop.given().by(shop.admin);

  it('are told with what they can be set to', async () => {
    const { body: available } = await staff()
      .when(manage.get(`${path}/available`))
      .then(200);
    const [manual] = available;
    expect(manual).to.include({ alias: 'manual', displayName: 'Manual', supportsHistoricalRates: false });
    expect(manual.supportedCurrencies).to.include('JPY');
    const { body: fields } = await staff()
      .when(manage.get(`${path}/manual/fields`))
      .then(200);
    expect(fields[0]).to.include({ key: 'rates', isRequired: true, isSecret: false, defaultValue: null });
    await staff()
      .when(manage.get(`${path}/moon/fields`))
      .then(404);
  });

  it('have no rates until somebody sets some; then these are in force at once', async () => {
    await staff()
      .when(manage.get(`${path}/snapshot`))
      .then(404, { success: false });
    await staff()
      .when(setRates({ EUR: 1.17, jpy: 190.15 }))
      .then(200, { alias: 'manual', isActive: true, configuration: { rates: { EUR: 1.17, JPY: 190.15 } } })
      .and(events('ExchangeRateProviderConfigured', 'ExchangeRatesRefreshed'));
    await staff()
      .when(manage.get(`${path}/snapshot`))
      .then(200, { providerAlias: 'manual', baseCurrency: 'GBP', rates: { EUR: 1.17, JPY: 190.15 } })
      .and(body(({ timestampUtc, lastFetchedAt }) => expect(timestampUtc).to.equal(lastFetchedAt)));
    const { body: list } = await staff().when(manage.get(path)).then(200, { totalItems: 2 });
    expect(list.items[0]).to.include({
      alias: 'manual',
      isActive: true,
      lastError: null,
      consecutiveFailures: 0,
    });
  });

  it('take rates above 0 for currencies only; a refusal names what is wrong and changes nothing', async () => {
    const refusals = [
      [{ EUR: 0 }, 'configuration.rates.EUR: must be a number above 0, at most a thousand million'],
      [{ EUR: -1 }, 'configuration.rates.EUR: must be a number above 0, at most a thousand million'],
      [{ EUR: 1e10 }, 'configuration.rates.EUR: must be a number above 0, at most a thousand million'],
      [{ EUR: 'much' }, 'configuration.rates.EUR: must be a number'],
      [{ EUR: null }, 'configuration.rates.EUR: must be a number'],
      [{ EURO: 1 }, 'configuration.rates.EURO: must be an ISO 4217 currency code'],
      [{ GBP: 2 }, "configuration.rates.GBP: must be 1: it is the store's own currency"],
      [undefined, 'configuration.rates: must be an object'],
    ] as const;
    for (const [rates, problem] of refusals)
      await staff()
        .when(setRates(rates))
        .then(400, { errors: [problem] })
        .and(noNewEvents());
    await staff()
      .when(manage.put(`${path}/manual/settings`, {}))
      .then(400, { errors: ['configuration: must be an object'] });
    await staff()
      .when(manage.put(`${path}/moon/settings`, { configuration: {} }))
      .then(404);
  });

  it('can be tested and asked', async () => {
    await staff()
      .when(manage.post(`${path}/manual/test`))
      .then(200, { success: true, errorMessage: null })
      .and(noNewEvents());
    await staff()
      .when(manage.post(`${path}/refresh`))
      .then(200, { message: 'manual has given its rates.' })
      .and(events('ExchangeRatesRefreshed'));
    await staff()
      .when(manage.post(`${path}/moon/test`))
      .then(404);
    await staff()
      .when(manage.put(`${path}/manual/activate`, {}))
      .then(200, { isActive: true })
      .and(noNewEvents());
  });

  it('are set by a store file, which changes nothing the second time', async () => {
    const file = (rate: unknown) => ({ formatVersion: 1, exchangeRates: [{ key: 'KWD', rate }] });
    await staff()
      .when(manage.post('/store-imports', file(0.387)))
      .then(200, { changed: 1 });
    await staff()
      .when(manage.get(`${path}/snapshot`))
      .then(200)
      .and(body(({ rates }) => expect(rates).to.include({ KWD: 0.387 })));
    await staff()
      .when(manage.post('/store-imports', file(0.387)))
      .then(200, { changed: 0 })
      .and(noNewEvents());
    await staff()
      .when(manage.post('/store-imports', file('x')))
      .then(400, { errors: ['exchangeRates.0.rate: must be a number'] });
  });
});
