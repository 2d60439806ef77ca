import { expect } from 'chai';
import {
  getProductResponse,
  lookupCatalogResponse,
  searchCatalogResponse,
} from '#contracts/agent-catalogue.contract.ts';
import { productType } from '#entities/product-type.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { streamOf } from '#values/stream-name.ts';
import { schemaProblems } from '#test/support/agents/answer-schemas.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  entityCreated,
  optionNamed,
  productNamed,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { inStream } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { post, withHeaders } from '#test/support/requests.ts';

const mug = productNamed('MUG-1', {
  shelves: { East: 3 },
  root: {
    rootName: 'Blue mug',
    rootUrl: 'blue-mug',
    description: '<p>Fired &amp; glazed</p>',
    productTypeId: idNamed('Crockery'),
    images: ['/media/mug.jpg', 'https://images.example.com/side view.jpg'],
  },
  variant: { name: 'Blue mug', price: 1000 },
});

const engraving = {
  ...{ id: idNamed('Engraving'), name: 'Engraving', alias: 'engraving', sortOrder: 0 },
  ...{ optionTypeAlias: null, optionUiAlias: null, isVariant: false, isMultiSelect: false, isRequired: true },
  values: [],
};

describe('the catalogue for agents, over HTTP', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      warehouseNamed('East', [serves('GB')]),
      optionNamed('Parcel', 'East'),
      entityCreated(productType, 'Crockery', {}),
      ...mug,
      ...productNamed('RING-1', {
        root: { rootName: 'Ring', rootUrl: 'ring', options: [engraving] },
        shelves: { East: 2 },
      }),
      ...productNamed('DISH-1', { root: { rootName: 'Dish', rootUrl: 'dish' }, shelves: { East: 0 } }),
    ]);
  });
  after(() => shop.close());

  const ask = (operation: string, body: unknown, version?: string) =>
    shop.ask(
      withHeaders(
        version === undefined
          ? {}
          : { 'UCP-Agent': `profile="https://agent.example/p", version="${version}"` },
        post(`/api/v1/catalog/${operation}`, body),
      ),
    );

  it('answers anyone, as the schemas of the protocol have it', async () => {
    const search = (await ask('search', { query: 'mug', signals: { any: 'thing' } }).then(200)).body;
    expect(schemaProblems('products', '2026-04-08', search)).to.deep.equal([]);
    expect(search.ucp).to.deep.equal({
      version: '2026-04-08',
      status: 'success',
      capabilities: { 'dev.ucp.shopping.catalog.search': [{ version: '2026-04-08' }] },
    });
    expect(search.pagination).to.deep.equal({ has_next_page: false, total_count: 1 });
    expect(search).not.to.have.property('messages');
    expect(search.products[0]).to.deep.include({
      id: idNamed('root MUG-1'),
      handle: 'blue-mug',
      description: { plain: 'Fired & glazed' },
      categories: [{ value: 'Crockery', taxonomy: 'merchant' }],
      media: [
        { type: 'image', url: `${shop.base}/media/mug.jpg`, alt_text: 'Blue mug' },
        { type: 'image', url: 'https://images.example.com/side%20view.jpg', alt_text: 'Blue mug' },
      ],
    });
    const lookup = (await ask('lookup', { ids: ['MUG-1', 'nothing'] }).then(200)).body;
    expect(schemaProblems('lookup', '2026-04-08', lookup)).to.deep.equal([]);
    const product = (await ask('product', { id: 'DISH-1' }).then(200)).body;
    expect(schemaProblems('product', '2026-04-08', product)).to.deep.equal([]);
    expect(product.product.variants[0].availability).to.deep.equal({
      available: false,
      status: 'out_of_stock',
    });
    const ring = (await ask('product', { id: 'RING-1' }).then(200)).body;
    expect(ring.product.variants[0].availability).to.deep.equal({
      available: false,
      status: 'requires_buyer_input',
    });
    for (const [described, body] of [
      [searchCatalogResponse, search],
      [lookupCatalogResponse, lookup],
      [getProductResponse, ring],
    ] as const)
      expect(described.safeParse(body).error, 'as the OpenAPI description has it').to.equal(undefined);
  });

  it('says which identifier finds nothing, so that an empty one can be seen too', async () => {
    const { body } = await ask('lookup', { ids: ['', 'nothing'] }).then(200);
    expect(body.messages.map(({ content }: { readonly content: string }) => content)).to.deep.equal([
      'Nothing that can be bought here is called "".',
      'Nothing that can be bought here is called "nothing".',
    ]);
  });

  it('answers in the version that is asked for', async () => {
    const { body } = await ask('search', { query: 'mug' }, '2026-01-11').then(200);
    expect(body.ucp).to.deep.equal({
      version: '2026-01-11',
      capabilities: [{ name: 'dev.ucp.shopping.catalog.search', version: '2026-01-11' }],
    });
    await ask('search', { query: 'mug' }, '2099-01-01').then(422, { code: 'version_unsupported' });
  });

  it('has no product for an id that there is not, which is no refusal', async () => {
    const { body } = await ask('product', { id: 'nothing' }).then(200);
    expect(schemaProblems('error', '2026-04-08', body)).to.deep.equal([]);
    expect(body.ucp.status).to.equal('error');
    expect(body.messages[0].code).to.equal('not_found');
    const older = (await ask('product', { id: 'nothing' }, '2026-01-11').then(200)).body;
    expect(older.ucp).to.include({ version: '2026-01-11', status: 'error' });
    expect(older.messages[0]).to.include({ type: 'error', code: 'not_found' });
    expect(schemaProblems('error', '2026-01-11', older)).to.deep.equal([]);
    expect(older).to.include({ code: 'not_found', detail: older.messages[0].content });
  });

  it('says what is wrong with a question, and where', async () => {
    const cases: readonly (readonly [string, unknown, string, string])[] = [
      ['search', {}, 'missing', '$.query'],
      ['search', { query: 5 }, 'invalid', '$.query'],
      ['search', { query: 'mug', pagination: { cursor: 'next' } }, 'invalid', '$.pagination.cursor'],
      ['search', { query: 'mug', pagination: { limit: 'all' } }, 'invalid', '$.pagination.limit'],
      ['search', { filters: { price: { min: -1 } } }, 'invalid', '$.filters.price.min'],
      ['lookup', {}, 'missing', '$.ids'],
      ['lookup', { ids: [] }, 'missing', '$.ids'],
      ['lookup', { ids: Array.from({ length: 51 }, String) }, 'request_too_large', '$.ids'],
      ['product', {}, 'missing', '$.id'],
    ];
    for (const [operation, given, code, path] of cases) {
      const { body } = await ask(operation, given).then(400);
      expect(schemaProblems('error', '2026-04-08', body), operation).to.deep.equal([]);
      expect(body.messages[0], JSON.stringify(given)).to.include({ type: 'error', code, path });
    }
    for (const [operation, given, code, path] of cases) {
      const { body } = await ask(operation, given, '2026-01-11').then(400);
      expect(schemaProblems('error', '2026-01-11', body), operation).to.deep.equal([]);
      expect(body, JSON.stringify(given)).to.include({ code, error: code, message: body.detail });
      expect(body.messages[0]).to.include({ type: 'error', code, path });
    }
  });

  it('has what the backoffice has changed in the next answer', async () => {
    const stream = streamOf.product(idNamed('root MUG-1'));
    const { root } = mug[0]?.data as { readonly root: object };
    await shop.record(
      ...inStream(
        stream,
        productEvents.create.ProductDetailsChanged({
          root: { ...root, rootName: 'Green beaker' } as never,
          at: '2030-01-02T00:00:00.000Z',
        }),
      ),
    );
    const { body } = await ask('search', { query: 'beaker' }).then(200);
    expect(body.products.map(({ title }: { title: string }) => title)).to.deep.equal(['Green beaker']);
    expect((await ask('search', { query: 'mug' }).then(200)).body.pagination.total_count).to.equal(1);
  });
});
