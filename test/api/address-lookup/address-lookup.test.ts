import { expect } from 'chai';
import {
  lookupConfigResponse,
  resolveResponse,
  suggestionsResponse,
} from '#contracts/address-lookup.contract.ts';
import { managing } from '#test/support/managing.ts';
import { get, manage, post } from '#test/support/requests.ts';
import { body, events, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/api/shop/checkout/address-lookup';
const providers = '/address-lookup-providers';
const suggest = (body: object) => post(`${path}/suggestions`, body);
const resolve = (body: object) => post(`${path}/resolve`, body);
/** What is wrong is named. */
const naming = (pattern: RegExp): Check => body((told) => expect(JSON.stringify(told)).to.match(pattern));

const downing = { query: '10 Downing', countryCode: 'gb' };

describe('address lookup (docs/rules/address-lookup.md)', () => {
  let shop: TestShop;
  beforeEach(async () => {
    shop = await TestShop.open({
      environment: {
        Storefront__AddressSuggestionsPerMinute: '3',
        Storefront__AddressResolvesPerMinute: '2',
      },
    });
  });
  afterEach(() => shop.close());
  const { when } = managing(() => shop);

  it('says what a form needs to know', async () => {
    const { body: told } = await shop
      .given()
      .when(get(`${path}/config`))
      .then(200, {
        isEnabled: true,
        providerAlias: 'built-in',
        supportedCountries: null,
        minQueryLength: 3,
        maxSuggestions: 6,
      });
    expect(lookupConfigResponse.parse(told)).to.deep.equal(told);
  });

  it('suggests addresses that begin like this, and gives the whole of one', async () => {
    const { body: found } = await shop.given().when(suggest(downing)).then(200, { success: true });
    expect(suggestionsResponse.parse(found)).to.deep.equal(found);
    expect(found.suggestions).to.deep.equal([
      {
        id: 'gb-10-downing-street',
        label: '10 Downing Street',
        description: 'London SW1A 2AA, United Kingdom',
      },
    ]);
    const { body: whole } = await shop
      .given()
      .when(resolve({ id: 'gb-10-downing-street' }))
      .then(200, { success: true, errorMessage: null });
    expect(resolveResponse.parse(whole)).to.deep.equal(whole);
    expect(whole.address).to.deep.equal({
      company: null,
      addressOne: '10 Downing Street',
      addressTwo: null,
      townCity: 'London',
      countyState: 'England',
      regionCode: 'ENG',
      postalCode: 'SW1A 2AA',
      country: 'United Kingdom',
      countryCode: 'GB',
    });
  });

  it('suggests none for two letters, and none of another country', async () => {
    const none = { success: true, suggestions: [] };
    await shop
      .given()
      .when(suggest({ query: ' 10 ' }))
      .then(200, none);
    await shop
      .given()
      .when(suggest({ ...downing, countryCode: 'FR' }))
      .then(200, none);
  });

  it('suggests 6 where the limit says nothing that can be', async () => {
    const { body: some } = await shop
      .given()
      .when(suggest({ query: 'str', limit: 1 }))
      .then(200);
    const { body: six } = await shop
      .given()
      .when(suggest({ query: 'str', limit: -1 }))
      .then(200);
    expect([some.suggestions.length, six.suggestions.length]).to.deep.equal([1, 6]);
  });

  it('knows no address by an id that nobody gave', () =>
    shop
      .given()
      .when(resolve({ id: 'x' }))
      .then(200, {
        success: false,
        code: 'entity-not-found',
        errorMessage: 'There is no such address.',
        address: null,
      }));

  for (const sent of [{}, { query: '   ' }, { query: 7 }])
    it(`refuses ${JSON.stringify(sent)}`, () =>
      shop
        .given()
        .when(suggest(sent))
        .then(400)
        .and(naming(/query: must be text/)));

  it('refuses a blank id', () =>
    shop
      .given()
      .when(resolve({ id: ' ' }))
      .then(400)
      .and(naming(/id: must be text/)));

  it('lets through so many a minute, those that cannot be read not counted', async () => {
    for (let blank = 0; blank < 5; blank++)
      await shop
        .given()
        .when(suggest({ query: '' }))
        .then(400);
    for (let good = 0; good < 3; good++) await shop.given().when(suggest(downing)).then(200);
    const { body: refused, headers } = await shop
      .given()
      .when(suggest(downing))
      .then(429, { success: false });
    expect(refused.errorMessage).to.equal(refused.message);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    for (let good = 0; good < 2; good++)
      await shop
        .given()
        .when(resolve({ id: 'x' }))
        .then(200);
    await shop
      .given()
      .when(resolve({ id: 'x' }))
      .then(429, { success: false });
  });

  it('is off once staff have said so, and on again', async () => {
    await when(manage.put(`${providers}/built-in/deactivate`, {}))
      .then(200, { alias: 'built-in', isActive: false })
      .and(events('AddressLookupChosen'));
    await shop
      .given()
      .when(get(`${path}/config`))
      .then(200, { isEnabled: false, providerAlias: null, minQueryLength: 3, maxSuggestions: 6 });
    const off = { success: false, code: 'not-offered', errorMessage: 'This shop has no address lookup.' };
    await shop
      .given()
      .when(suggest(downing))
      .then(200, { ...off, suggestions: [] });
    await when(manage.get(`${providers}/active`)).then(404);
    await when(manage.put(`${providers}/built-in/activate`, {})).then(200, { isActive: true });
    await shop.given().when(suggest(downing)).then(200, { success: true });
  });

  it('never shows what a service is set to', async () => {
    const settings = (configuration: object) => manage.put(`${providers}/http/settings`, { configuration });
    const url = 'https://8.8.8.8/v1?key=secret';
    await when(settings({ url })).then(200, { configuration: { url: '***' } });
    await when(settings({ url: '***' })).then(200);
    const { body: list } = await when(manage.get(providers)).then(200);
    expect(JSON.stringify(list)).not.to.contain('secret');
    await when(settings({}))
      .then(400)
      .and(naming(/configuration\.url: must be a value/));
    await when(settings({ url: 'http://127.0.0.1/' }))
      .then(400)
      .and(naming(/configuration\.url: /));
    await when(settings({ url, key: 'x' }))
      .then(400)
      .and(naming(/configuration\.key: there is no such field/));
  });

  it('knows its providers only', async () => {
    for (const request of [
      manage.get(`${providers}/nobody/fields`),
      manage.put(`${providers}/nobody/activate`, {}),
      manage.post(`${providers}/nobody/test`),
    ])
      await when(request).then(404);
    await when(manage.post(`${providers}/built-in/test`)).then(200, { success: true, errorMessage: null });
  });
});

describe('address lookup that the configuration names', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: { AddressLookup__Provider: 'none' } });
  });
  after(() => shop.close());
  const { when } = managing(() => shop);

  it('is not for staff to choose', async () => {
    await shop
      .given()
      .when(get(`${path}/config`))
      .then(200, { isEnabled: false });
    await when(manage.put(`${providers}/built-in/activate`, {})).then(409);
  });
});
