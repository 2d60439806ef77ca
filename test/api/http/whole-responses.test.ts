import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const address = { countryCode: 'GB' };
const rule = { category: 'AmountOffOrder', method: 'Code', valueType: 'Percentage', value: 10 };

/** Path, what makes one, and what changes it; `made`: ids by what was made before. */
const kinds = [
  ['/suppliers', { name: 'Potter', address }, { name: 'Potters' }],
  ['/filter-groups', { name: 'Colour' }, { name: 'Colours' }],
  ['/filters', (made) => ({ name: 'Blue', filterGroupId: made['/filter-groups'] }), { name: 'Dark blue' }],
  ['/warehouses', { name: 'Leeds', address }, { name: 'York' }],
  [
    '/shipping-options',
    (made) => ({ name: 'Van', warehouseId: made['/warehouses'], fixedCost: 1 }),
    { fixedCost: 2 },
  ],
  ['/product-types', { name: 'Cups' }, { name: 'Mugs' }],
  ['/collections', { name: 'Spring' }, { name: 'Summer' }],
  ['/tax-groups', { name: 'Full', taxPercentage: 20 }, { taxPercentage: 21 }],
  ['/shipping-tax-overrides', { countryCode: 'US', regionCode: 'CA' }, { countryCode: 'US' }],
  ['/products', { rootName: 'Cup', sku: 'CUP', price: 5 }, { price: 6 }],
  ['/discounts', { name: 'Ten', code: 'TEN', ...rule }, { value: 20 }],
  ['/customers', { email: 'ada@example.com' }, { firstName: 'Ada' }],
  ['/customer-segments', { name: 'Friends', segmentType: 'Manual' }, { name: 'Good friends' }],
  ['/upsells', { name: 'More', heading: 'Goes well with it' }, { name: 'Some more' }],
  [
    '/shipping-providers',
    { providerKey: 'parcel', isEnabled: true, configuration: {} },
    { isEnabled: false },
  ],
  [
    '/fulfilment-providers',
    { name: 'House', providerKey: 'generic-http', configuration: { baseUrl: 'https://fulfil.example.com' } },
    { name: 'Home' },
  ],
  [
    '/webhooks',
    { name: 'Books', topic: 'invoice.paid', targetUrl: 'https://books.example.com/in' },
    { name: 'Ledger' },
  ],
  ['/users', { email: 'bea@shop.example', password: 'correct horse', role: 'admin' }, { role: 'analyst' }],
] as const satisfies readonly (readonly [
  string,
  object | ((made: Readonly<Record<string, string>>) => object),
  object,
])[];

/** A secret is told once; members are counted by whoever reads. */
const shown = ({ secret: _, memberCount: __, ...fields }: ApiResponse['body']): ApiResponse['body'] => fields;

describe('what is made or changed', () => {
  let shop: TestShop;
  const made: Record<string, string> = {};
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const asked = async (
    request: ReturnType<typeof manage.get>,
    expected: number,
  ): Promise<ApiResponse['body']> => {
    const { status, body, text } = await shop.admin.ask(request);
    expect(status, text).to.equal(expected);
    await shop.settle();
    return body;
  };

  for (const [path, first, changes] of kinds)
    it(`is answered as it is read: ${path}`, async () => {
      const body = typeof first === 'function' ? first(made) : first;
      const created = shown(await asked(manage.post(path, body), 201));
      made[path] = created.id;
      const one = `${path}/${created.id}`;
      expect(created).to.deep.equal(shown(await asked(manage.get(one), 200)));
      const changed = shown(await asked(manage.put(one, changes), 200));
      expect(changed).to.deep.equal(shown(await asked(manage.get(one), 200)));
    });
});
