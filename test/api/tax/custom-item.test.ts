import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, exactly, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('a line written by hand (docs/rules/tax.md#lines-written-by-hand)', () => {
  let shop: TestShop;
  let taxGroupId: string;
  before(async () => {
    shop = await TestShop.open();
    const rates = [{ countryCode: 'US', regionCode: 'CA', taxPercentage: 7.25 }];
    taxGroupId = (await make('/tax-groups', { name: 'Parts', taxPercentage: 20, rates })).id;
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const preview = (wanted: object) =>
    when(manage.post('/tax-groups/preview-custom-item', { countryCode: 'GB', ...wanted }));

  it('is taxed as a whole, at the rate of its group where it goes', async () => {
    await preview({ amount: 3.33, quantity: 3, taxGroupId })
      .then(200)
      .and(exactly({ lineTotal: 9.99, isTaxable: true, taxRate: 20, tax: 2, total: 11.99 }))
      .and(noNewEvents());
    await preview({ amount: 100, taxGroupId, countryCode: 'us', regionCode: 'us-ca' }).then(200, {
      taxRate: 7.25,
      tax: 7.25,
    });
  });

  it('is not taxed without a group, nor where somebody says so', async () => {
    await preview({ amount: 5 }).then(200, { isTaxable: false, taxRate: 0, total: 5 });
    await preview({ amount: 5, taxGroupId, isTaxable: false }).then(200, { isTaxable: false, tax: 0 });
  });

  for (const [what, wrong, ...errors] of [
    ['an unknown group', { amount: 1, taxGroupId: nobody }, 'taxGroupId: must be an existing tax group'],
    ['half a unit', { amount: 1, quantity: 0.5 }, 'quantity: must be a whole number'],
    ['a negative amount', { amount: -1 }, 'amount: must be 0 or more'],
    [
      'an unknown country',
      { amount: 1, countryCode: 'XX' },
      'countryCode: must be an ISO 3166-1 country code',
    ],
    [
      'an unknown region',
      { amount: 1, countryCode: 'US', regionCode: 'ZZ' },
      'regionCode: must be a region of that country',
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      await preview(wrong)
        .then(400)
        .and(body((found) => expect(found.errors).to.deep.equal(errors)));
    });
  }

  it('is refused where it comes to more than the shop takes', async () => {
    await preview({ amount: 9_999_999_999, quantity: 2 }).then(400);
  });
});
