import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

describe('rebuilding read models (docs/rules/management.md#read-models)', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open({ environment: {} });
    await make('/products', { rootName: 'Mug', sku: 'MUG', price: 1 });
    await shop.settle();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);

  const shown = async (): Promise<ReadonlyMap<string, ProjectionResponse>> => {
    const { body: answer } = await when(manage.get('/projections')).then(200);
    return new Map((answer.items as ProjectionResponse[]).map((one) => [one.name, one]));
  };

  /** Each as it is once its rebuild has ended. */
  const ended = async (...names: readonly string[]): Promise<readonly (ProjectionResponse | undefined)[]> => {
    for (;;) {
      const all = await shown();
      const wanted = names.map((name) => all.get(name));
      if (wanted.every((one) => one?.rebuild?.isDone)) return wanted;
      await nextTurn();
    }
  };

  it('takes several at once, tells how far they are, and leaves the others as they are', async () => {
    const before = await shown();
    const names = ['orders', 'products', 'orders'];
    await when(manage.post('/projections/rebuild', { names }))
      .then(202)
      .and(
        body(({ items }) =>
          expect(items.map(({ name }: ProjectionResponse) => name)).to.have.members(['orders', 'products']),
        ),
      );
    for (const one of await ended('orders', 'products')) {
      expect(one?.rebuild).to.include({ isDone: true, failure: null });
      expect(one?.generation).to.equal((before.get(one?.name ?? '')?.generation ?? 0) + 1);
    }
    const after = await shown();
    expect(after.get('customers')).to.deep.include({
      generation: before.get('customers')?.generation,
      rebuild: null,
    });
    const { body: products } = await when(manage.get('/products')).then(200);
    expect(products.totalItems).to.equal(1);
  });

  it('takes one by its name', async () => {
    await when(manage.post('/projections/customers/rebuild')).then(202);
    const [customers] = await ended('customers');
    expect(customers?.rebuild).to.include({ failure: null });
    await when(manage.post('/projections/no-such-view/rebuild'))
      .then(404)
      .and(refusedFor('entity-not-found'));
  });

  for (const [what, wanted] of [
    ['none', { names: [] }],
    ['nothing', {}],
    ['a text for a list', { names: 'orders' }],
    ['a name that is none', { names: [7] }],
    ['more than there can be', { names: Array.from({ length: 101 }, () => 'orders') }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await when(manage.post('/projections/rebuild', wanted))
        .then(400)
        .and(refusedFor('invalid-request'))
        .and(({ answer }) => expect(answer.text).to.contain('names'))
        .and(noNewEvents());
    });
  }

  it('refuses all where one is unknown, and names it', async () => {
    const before = await shown();
    await when(manage.post('/projections/rebuild', { names: ['products', 'no-such-view'] }))
      .then(404)
      .and(refusedFor('entity-not-found'))
      .and(({ answer }) => expect(answer.text).to.contain('no-such-view'));
    expect((await shown()).get('products')?.rebuild).to.deep.equal(before.get('products')?.rebuild);
  });

  it('is for admins', async () => {
    const { status } = await shop.shopper().ask(manage.post('/projections/rebuild', { names: ['orders'] }));
    expect(status).to.equal(401);
  });
});
