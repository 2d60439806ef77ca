import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { initialize, manage, readyToPay } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';
const path = '/shipping-tax-overrides';
const nobody = '00000000-0000-4000-8000-000000000000';

describe('shipping tax overrides (docs/rules/tax.md#overrides)', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);
  const named = (...errors: readonly string[]) => body((found) => expect(found.errors).to.deep.equal(errors));

  it('are created, read, changed in their group only, and deleted', async () => {
    const group = await make('/tax-groups', { name: 'Parcels', taxPercentage: 7 });
    const made = await when(
      manage.post(path, { countryCode: ' us ', regionCode: 'us-ca', shippingTaxGroupId: group.id }),
    )
      .then(201, {
        countryCode: 'US',
        regionCode: 'CA',
        shippingTaxGroupId: group.id,
        shippingTaxGroupName: 'Parcels',
        shippingTaxGroupPercentage: 7,
        countryName: 'United States of America',
        regionName: 'California',
      })
      .and(events('ValueClaimed', 'ShippingTaxOverrideCreated'));
    const { id, dateCreated } = made.body;
    expect(made.headers.get('location')).to.equal(`${base}${path}/${id}`);
    await seen(path, made.body);
    await shop.settle();
    const { body: list } = await when(manage.get(`${path}?search=us`)).then(200, { totalItems: 1 });
    expect(list.items).to.deep.equal([made.body]);
    await when(manage.delete(`/tax-groups/${group.id}`))
      .then(409)
      .and(refusedFor('still-used'))
      .and(body(({ message }) => expect(message).to.include('the shipping tax override US CA')));
    const changed = await when(
      manage.put(`${path}/${id}`, { countryCode: 'FR', regionCode: 'nowhere at all' }),
    )
      .then(200, {
        countryCode: 'US',
        regionCode: 'CA',
        shippingTaxGroupId: null,
        shippingTaxGroupName: null,
        shippingTaxGroupPercentage: null,
        dateCreated,
      })
      .and(events('ShippingTaxOverrideChanged'));
    await seen(path, changed.body);
    await when(manage.delete(`${path}/${id}`))
      .then(204)
      .and(events('ShippingTaxOverrideDeleted', 'ClaimReleased'));
    await when(manage.get(`${path}/${id}`)).then(404);
  });

  it('stand once for each place: a country beside its regions, and again once one is deleted', async () => {
    const country = await make(path, { countryCode: 'DE', shippingTaxGroupId: null });
    expect(country).to.include({ regionCode: null, regionName: null, countryName: 'Germany' });
    const region = await make(path, { countryCode: 'DE', regionCode: 'BY' });
    for (const [given, field] of [
      [{ countryCode: 'de', regionCode: '' }, 'countryCode'],
      [{ countryCode: 'DE', regionCode: 'de-by' }, 'regionCode'],
    ] as const) {
      await when(manage.post(path, given))
        .then(409)
        .and(refusedFor('value-taken'))
        .and(body(({ message }) => expect(message).to.include(field)))
        .and(noNewEvents());
    }
    await when(manage.delete(`${path}/${region.id}`)).then(204);
    await make(path, { countryCode: 'DE', regionCode: 'BY' });
  });

  for (const [what, wrong, ...errors] of [
    ['no country', {}, 'countryCode: must be text'],
    [
      'an unknown country',
      { countryCode: 'XX', shippingTaxGroupId: nobody },
      'countryCode: must be an ISO 3166-1 country code',
      'shippingTaxGroupId: must be an existing tax group',
    ],
    [
      'an unknown region',
      { countryCode: 'US', regionCode: 'ZZ' },
      'regionCode: must be a region of that country',
    ],
    [
      'a region of another country',
      { countryCode: 'GB', regionCode: 'CA' },
      'regionCode: must be a region of that country',
    ],
    [
      'a group that is no GUID',
      { countryCode: 'GB', shippingTaxGroupId: 'standard' },
      'shippingTaxGroupId: must be a GUID',
    ],
    [
      'an unknown group',
      { countryCode: 'GB', shippingTaxGroupId: nobody },
      'shippingTaxGroupId: must be an existing tax group',
    ],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      await when(manage.post(path, wrong))
        .then(400, { success: false })
        .and(named(...errors))
        .and(noNewEvents());
    });
  }

  it('tax the shipping of the next basket, where it is shown and where it is paid', async () => {
    const group = await make('/tax-groups', { name: 'Carriage', taxPercentage: 10 });
    const override = await make(path, { countryCode: 'GB', shippingTaxGroupId: group.id });
    await shop
      .given(...readyToPay(mug))
      .when(initialize())
      .then(200)
      .and(body(({ basket }) => expect(basket).to.include({ shipping: 5, tax: 2.5, total: 17.5 })));
    await when(manage.put(`${path}/${override.id}`, {})).then(200);
    await shop
      .given(...readyToPay(mug))
      .when(initialize())
      .then(200)
      .and(body(({ basket }) => expect(basket).to.include({ shipping: 5, tax: 2, total: 17 })));
    await when(manage.delete(`${path}/${override.id}`)).then(204);
  });
});
