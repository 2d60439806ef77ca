import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/exchange-rate-providers';
const snapshot = manage.get(`${path}/snapshot`);
const refresh = manage.post(`${path}/refresh`);
const activate = (alias: string) => manage.put(`${path}/${alias}/activate`, {});
const setManual = (rates: object) => manage.put(`${path}/manual/settings`, { configuration: { rates } });

describe('rates over HTTP', () => {
  let source: Receiver;
  /** What the source says; null: it is out of order. */
  let rates: object | null;
  let shop: TestShop;
  before(async () => {
    source = await startReceiver((response) =>
      rates === null
        ? response.writeHead(500).end()
        : response.end(JSON.stringify({ amount: 1, base: 'GBP', date: '2026-02-27', rates })),
    );
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
  });
  after(async () => {
    await shop.close();
    await source.close();
  });
  const staff = () => shop.given().by(shop.admin);
  const runJob = async (): Promise<Record<string, unknown>> =>
    (await shop.tester.post('/testing/jobs/refresh-rates')).body as Record<string, unknown>;

  it('are asked for as soon as their provider is chosen, and by the job from then on', async () => {
    expect(await runJob()).to.deep.include({ refreshed: 0, failed: 0 });
    await staff()
      .when(manage.put(`${path}/frankfurter/settings`, { configuration: { url: source.url } }))
      .then(200, { configuration: { url: source.url }, isActive: false })
      .and(events('ExchangeRateProviderConfigured'));
    rates = { EUR: 1.17 };
    await staff()
      .when(activate('frankfurter'))
      .then(200, { isActive: true, lastError: null })
      .and(events('ExchangeRateProviderActivated', 'ExchangeRatesRefreshed'));
    rates = { EUR: 1.18, JPY: 191.2 };
    expect(await runJob()).to.deep.include({ refreshed: 1, failed: 0 });
    await staff()
      .when(snapshot)
      .then(200, {
        providerAlias: 'frankfurter',
        baseCurrency: 'GBP',
        rates: { EUR: 1.18, JPY: 191.2 },
        timestampUtc: '2026-02-27T00:00:00.000Z',
      });
  });

  it('that cannot be had leave those from before in force, and are counted', async () => {
    rates = null;
    for (const consecutiveFailures of [1, 2]) {
      await staff()
        .when(refresh)
        .then(500, { success: false })
        .and(body(({ message }) => expect(message).to.match(/it answered 500.*stay in force/)))
        .and(events('ExchangeRateFetchFailed'));
      const { body: list } = await staff().when(manage.get(path)).then(200);
      expect(list.items[1]).to.include({ lastError: 'it answered 500', consecutiveFailures });
    }
    await staff()
      .when(snapshot)
      .then(200, { rates: { EUR: 1.18, JPY: 191.2 } });
    await staff()
      .when(manage.post(`${path}/frankfurter/test`))
      .then(200, { success: false, errorMessage: 'it answered 500' })
      .and(noNewEvents());
    rates = { EUR: 1.19 };
    await staff().when(refresh).then(200);
    const { body: list } = await staff().when(manage.get(path)).then(200);
    expect(list.items[1]).to.include({ lastError: null, consecutiveFailures: 0 });
  });

  it('give way to those of the manual provider once it is chosen', async () => {
    await staff()
      .when(setManual({ CHF: 1.12 }))
      .then(200, { isActive: false })
      .and(events('ExchangeRateProviderConfigured'));
    await staff().when(activate('manual')).then(200);
    await staff()
      .when(snapshot)
      .then(200, { providerAlias: 'manual', rates: { CHF: 1.12 } });
  });

  it('are asked for only where the shop may connect to', async () => {
    for (const url of ['http://10.0.0.7', 'ftp://rates.example', 'http://user:word@rates.example', 7]) {
      await staff()
        .when(manage.put(`${path}/frankfurter/settings`, { configuration: { url } }))
        .then(400)
        .and(body(({ errors }) => expect(errors[0]).to.match(/^configuration.url: /)))
        .and(noNewEvents());
    }
  });

  it('that the configuration names are there once the shop is open, before any run of the job, and staff choose no others', async () => {
    rates = { EUR: 1.2 };
    const fixed = await TestShop.open({
      environment: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        ExchangeRates__Provider: 'frankfurter',
        ExchangeRates__Url: source.url,
      },
    });
    const admin = () => fixed.given().by(fixed.admin);
    const known = async (): Promise<unknown> => (await fixed.admin.ask(snapshot)).body?.rates?.EUR;
    while ((await known()) === undefined) await nextTurn();
    expect(await known()).to.equal(1.2);
    await admin().when(activate('manual')).then(409).and(refusedFor('setting-fixed')).and(noNewEvents());
    await admin()
      .when(manage.put(`${path}/frankfurter/settings`, { configuration: { url: 'https://rates.example' } }))
      .then(409)
      .and(noNewEvents());
    await admin().when(activate('frankfurter')).then(200, { isActive: true });
    await fixed.close();
  });
});
