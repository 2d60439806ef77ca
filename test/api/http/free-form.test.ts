import { expect } from 'chai';
import { createStoreImport } from '#command/contexts/store/import-store.ts';
import { InvalidStoreFile } from '#command/contexts/store/read-store-file.ts';
import { TestShop } from '#test/support/shop.ts';

/** `{"a":{"a":…}}`, as text: no recursion here either. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

const product = (extendedData: string): string =>
  `{"rootName":"Mug","sku":"MUG-1","price":5,"extendedData":${extendedData}}`;

describe('a value of free form', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const create = async (extendedData: string) => {
    const body: unknown = JSON.parse(product(extendedData));
    return shop.admin.post('/backoffice/api/v1/products', body);
  };

  it('nests 20 levels deep at most, which the refusal says with the name of the field', async () => {
    const refused = await create(nested(21));
    expect(refused.status).to.equal(400);
    expect(refused.body.errors).to.deep.equal(['extendedData: must be at most 20 levels of nesting']);
    await shop.settle();
    expect((await shop.admin.get('/backoffice/api/v1/products')).body.totalItems).to.equal(0);
    expect((await create(nested(20))).status).to.equal(201);
  });

  it('takes 64 kB at most', async () => {
    const refused = await create(`{"text":"${'x'.repeat(64_000)}"}`);
    expect(refused.status).to.equal(400);
    expect(refused.body.errors).to.deep.equal(['extendedData: must be at most 64000 bytes of JSON']);
  });

  it('is refused at any depth, and in fields that nobody reads', async () => {
    for (const levels of [1200, 150_000]) {
      const text = product(nested(levels)).replace('extendedData', 'unheardOf');
      const answer = await shop.admin.post('/backoffice/api/v1/products', text);
      expect(answer.status).to.equal(400);
      expect(answer.body.errors).to.deep.equal(['unheardOf.a.a.…: must be at most 32 levels of nesting']);
    }
    const add = await shop
      .shopper()
      .post(
        '/api/shop/storefront/basket/add',
        `{"productId":"00000000-0000-4000-8000-000000000000","addons":[${nested(15_000)}]}`,
      );
    expect(add.status).to.equal(400);
    expect(Object.keys(add.body.errors)).to.deep.equal(['addons.0.a.…']);
  });

  it('is refused in a store file too', async () => {
    const file = (extendedData: string): string =>
      `{"formatVersion":1,"products":[{"key":"mug","rootName":"Mug","variants":[{"sku":"M","price":1}],"extendedData":${extendedData}}]}`;
    const problemsOf = async (text: string): Promise<readonly string[]> => {
      const outcome = await createStoreImport(shop.shop.command.deps)(text).catch((error: unknown) => error);
      return outcome instanceof InvalidStoreFile ? outcome.problems : [];
    };
    expect(await problemsOf(file(nested(21)))).to.deep.equal([
      'products.0.extendedData: must be at most 20 levels of nesting',
    ]);
    expect(await problemsOf(file(nested(100_000)))).to.deep.equal([
      'products.0.extendedData.…: must be at most 32 levels of nesting',
    ]);
  });
});
