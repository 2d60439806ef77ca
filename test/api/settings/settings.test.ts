import { expect } from 'chai';
import { storeSettingsInput } from '#contracts/settings.contract.ts';
import { managing } from '#test/support/managing.ts';
import { add, manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor, type Check } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

interface Item {
  readonly key: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly source: string;
}

const named = (...errors: readonly string[]): Check =>
  body((found) => expect(found.errors).to.deep.equal(errors));
const shows = (key: string, value: unknown, source: string): Check =>
  body(({ items }) => {
    const item = (items as Item[]).find((one) => one.key === key);
    expect(item).to.deep.include({ key, value, source });
  });

describe('the settings of a store (docs/rules/settings.md#changing)', () => {
  let shop: TestShop;
  let mug: string;
  beforeEach(async () => {
    shop = await TestShop.open({ settings: { invoiceNumberPrefix: 'T-' } });
    mug = await shop.sell('mug', { price: 10 });
  });
  afterEach(() => shop.close());

  const { when, make } = managing(() => shop);
  const change = (wanted: object) => when(manage.put('/settings', wanted));

  it('are listed with their values, their defaults and where they come from', async () => {
    const { body: list } = await when(manage.get('/settings'))
      .then(200)
      .and(shows('invoiceNumberPrefix', 'T-', 'configuration'))
      .and(shows('storeCurrencyCode', 'GBP', 'configuration'))
      .and(shows('lowStockThreshold', 10, 'default'));
    const items = list.items as Item[];
    expect(items.map(({ key }) => key)).to.have.members(Object.keys(storeSettingsInput.shape));
    expect(Object.fromEntries(items.map((item) => [item.key, item.default]))).to.deep.equal(
      defaultStoreSettings,
    );
  });

  it('hold from the next command on, and fall back once they are taken back', async () => {
    await change({ maxLineQuantity: 2, lowStockThreshold: 5 })
      .then(200)
      .and(shows('maxLineQuantity', 2, 'store'))
      .and(events('StoreSettingsChanged'));
    await shop.given().when(add(mug, 3)).then(400).and(refusedFor('quantity-too-large'));
    await change({ maxLineQuantity: 2 }).then(200).and(noNewEvents());
    await change({ maxLineQuantity: null })
      .then(200)
      .and(shows('maxLineQuantity', 9999, 'default'))
      .and(shows('lowStockThreshold', 5, 'store'))
      .and(events('StoreSettingsChanged'));
    await shop.given().when(add(mug, 3)).then(200);
    await change({ maxLineQuantity: null }).then(200).and(noNewEvents());
  });

  it('take null for a value where null is one', async () => {
    await change({ websiteUrl: 'https://mugs.example', termsHtml: '<p>Be kind.</p>' }).then(200);
    await change({ websiteUrl: null })
      .then(200)
      .and(shows('websiteUrl', null, 'store'))
      .and(shows('termsHtml', '<p>Be kind.</p>', 'store'));
  });

  it('keep the rules for passwords that are not named', async () => {
    const { password } = defaultStoreSettings;
    await change({ password: { minLength: 14 } })
      .then(200)
      .and(shows('password', { ...password, minLength: 14 }, 'store'));
  });

  it('tax shipping as they say, and keep the group that they name', async () => {
    const group = await make('/tax-groups', { name: 'Carriage', taxPercentage: 5 });
    await change({ isShippingTaxable: true, shippingTaxGroupId: group.id }).then(200);
    await when(manage.delete(`/tax-groups/${group.id}`))
      .then(409)
      .and(refusedFor('still-used'));
  });

  it('change all together or not at all', async () => {
    await change({ lowStockThreshold: 5, invoiceNumberPrefix: 'X-' })
      .then(409)
      .and(refusedFor('setting-fixed'))
      .and(body(({ message }) => expect(message).to.include('invoiceNumberPrefix')))
      .and(noNewEvents());
    await when(manage.get('/settings'))
      .then(200)
      .and(shows('lowStockThreshold', 10, 'default'));
  });

  for (const [what, wanted, status, ...errors] of [
    [
      'an unknown name',
      { lowStockTreshold: 3 },
      400,
      'lowStockTreshold: there is no such setting; the nearest is lowStockThreshold',
    ],
    [
      'all that is wrong at once',
      { MaxBasketLine: 3, lowStockThreshold: -1, shippingTaxGroupId: nobody, reportingTimeZone: 'Mars' },
      400,
      'reportingTimeZone: must be an IANA time zone, such as Europe/London',
      'lowStockThreshold: must be 0 or more',
      'MaxBasketLine: there is no such setting; the nearest is maxBasketLines',
      'shippingTaxGroupId: must be an existing tax group',
    ],
    [
      'an unknown tax group',
      { shippingTaxGroupId: nobody },
      400,
      'shippingTaxGroupId: must be an existing tax group',
    ],
    ['a list', [], 400, 'must be an object'],
    [
      'an address that is none',
      { websiteUrl: 'javascript:alert(1)' },
      400,
      'websiteUrl: must be an http or https address',
    ],
    [
      'a time that leads to no date',
      { downloadLinkExpiryDays: 1e15, postPurchaseFulfillmentHoldMinutes: 1e15 },
      400,
      'downloadLinkExpiryDays: must be 36500 or less',
      'postPurchaseFulfillmentHoldMinutes: must be 1440 or less',
    ],
  ] as const) {
    it(`refuse ${what}`, async () => {
      await change(wanted)
        .then(status)
        .and(named(...errors))
        .and(noNewEvents());
    });
  }

  for (const value of ['EUR', 'GBP', null]) {
    it(`keep the currency of the store against ${value}`, async () => {
      await change({ storeCurrencyCode: value })
        .then(409)
        .and(refusedFor('setting-fixed'))
        .and(noNewEvents());
    });
  }

  it('say what forms offer: countries, their regions, and how many options a product may have', async () => {
    await when(manage.get('/countries'))
      .then(200)
      .and(body((list) => expect(list).to.deep.include({ code: 'DE', name: 'Germany' })));
    await when(manage.get('/regions?countryCode=us'))
      .then(200)
      .and(body((list) => expect(list).to.deep.include({ regionCode: 'CA', name: 'California' })));
    await when(manage.get('/regions?countryCode=XX'))
      .then(400)
      .and(named('countryCode: must be an ISO 3166-1 country code'));
    await change({ maxProductOptions: 3 }).then(200);
    await when(manage.get('/product-options')).then(200, {
      maxProductOptions: 3,
      maxOptionValuesPerOption: 20,
    });
  });

  it('say what an editor of descriptions may let through', async () => {
    await when(manage.get('/description-editor'))
      .then(200, { format: 'html', maxLength: 50_000, imageSchemes: ['https'] })
      .and(
        body(({ allowedTags }) =>
          expect(allowedTags).to.include.members(['p', 'h2', 'img']).and.not.include('script'),
        ),
      );
  });

  it('refuse what nothing obeys', async () => {
    await change({ cacheDurationSeconds: 60 })
      .then(400)
      .and(named('cacheDurationSeconds: must be 300: nothing is cached, whatever changes holds at once'));
  });
});
