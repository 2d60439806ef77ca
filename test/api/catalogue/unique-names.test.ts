import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

/** docs/rules/catalogue.md#types-and-collections */
for (const [what, path, field] of [
  ['the slug of a collection', '/collections', 'slug'],
  ['the alias of a product type', '/product-types', 'alias'],
] as const)
  describe(`${what} is unique`, () => {
    let shop: TestShop;
    beforeEach(async () => {
      shop = await TestShop.open();
    });
    afterEach(() => shop.close());

    const { when, make } = managing(() => shop);
    const isTaken = (request: Parameters<typeof when>[0]) =>
      when(request).then(409).and(refusedFor('value-taken')).and(noNewEvents());

    it('whether it is given or made from the name, in any case', async () => {
      const spring = await make(path, { name: 'Spring & Easter' });
      await isTaken(manage.post(path, { name: 'Other', [field]: 'Spring-Easter' }));
      const other = await make(path, { name: 'Other' });
      await isTaken(manage.put(`${path}/${other.id}`, { [field]: spring[field] }));
      await when(manage.put(`${path}/${spring.id}`, { name: 'Spring' })).then(200, {
        name: 'Spring',
        [field]: 'spring-easter',
      });
    });

    it('also of two that are made at the same moment', async () => {
      const both = await Promise.all([1, 2].map(() => shop.admin.ask(manage.post(path, { name: 'Spring' }))));
      expect(both.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    });

    it('and free again once it is given up', async () => {
      const spring = await make(path, { name: 'Spring' });
      await when(manage.put(`${path}/${spring.id}`, { [field]: 'autumn' })).then(200);
      const second = await make(path, { name: 'Spring' });
      await when(manage.delete(`${path}/${second.id}`)).then(204);
      await make(path, { name: 'Spring' });
    });

    it('but not where a name has no letters to make it from', async () => {
      await make(path, { name: '???' });
      await make(path, { name: '!!!' });
    });
  });

describe('products without a type', () => {
  it('have one of their own where staff have called another "default"', async () => {
    const shop = await TestShop.open();
    try {
      await shop.admin.ask(manage.post('/product-types', { name: 'Default' }));
      const product = manage.post('/products', { rootName: 'Mug', sku: 'MUG', price: 5 });
      expect((await shop.admin.ask(product)).status).to.equal(201);
    } finally {
      await shop.close();
    }
  });
});
