import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { noNewEvents, refusedFor } from '#test/support/scene.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1/product-sync';
const csv = { 'Content-Type': 'text/csv' };
const nobody = '00000000-0000-4000-8000-000000000000';

describe('product files', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);

  const send = (path: string, text: string | Uint8Array, headers: Record<string, string> = csv) =>
    fetch(`${shop.base}${base}${path}`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${API_KEY}` },
      body: text as string,
    });

  /** Works off what is under way, as the job does. */
  const worked = () => shop.tester.post('/testing/jobs/product-sync');

  const runOf = async (id: string) => (await when(manage.get(`/product-sync/runs/${id}`)).then(200)).body;
  const issuesOf = async (id: string) =>
    (await when(manage.get(`/product-sync/runs/${id}/issues`)).then(200)).body.items as Record<
      string,
      unknown
    >[];

  /** A run from its start to its end. */
  const carriedOut = async (path: string, text: string) => {
    const answer = await send(path, text);
    const started = (await answer.json()) as { id: string };
    expect(answer.status, JSON.stringify(started)).to.equal(202);
    await worked();
    await shop.settle();
    return { run: await runOf(started.id), issues: await issuesOf(started.id) };
  };
  const imported = (text: string, query = '') => carriedOut(`/imports/start${query}`, text);

  const productAt = async (rootUrl: string) => {
    const { items } = (await when(manage.get(`/products?pageSize=200`)).then(200)).body;
    const found = (items as { id: string; rootUrl: string }[]).find((one) => one.rootUrl === rootUrl);
    return found && (await when(manage.get(`/products/${found.id}`)).then(200)).body;
  };

  const tees = [
    'Handle,Title,Vendor,Type,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Taxable',
    'tee,Tee,Loom,Shirts,Size,S,TEE-S,200,shopify,5,10,TRUE',
    'tee,,,,,M,TEE-M,250,shopify,7,11,TRUE',
  ];

  it('are checked without anything being imported', async () => {
    const { run, issues } = await carriedOut('/imports/validate', tees.join('\n'));
    expect(run).to.include({
      status: 'Completed',
      isDryRun: true,
      done: 2,
      total: 2,
      errorCount: 0,
      created: 0,
    });
    expect(issues.map(({ code, line, column }) => [code, line, column])).to.deep.equal([
      ['type-new', 2, 'Type'],
    ]);
    expect(await productAt('tee')).to.equal(undefined);
  });

  it('become products with options, weights and stock, once however often they are sent', async () => {
    const { run } = await imported(tees.join('\n'));
    expect(run).to.include({ status: 'Completed', created: 1, total: 2, errorCount: 0 });
    const product = await productAt('tee');
    expect(product).to.deep.include({ rootName: 'Tee', extendedData: { vendor: 'Loom' } });
    expect(product.taxGroupId).to.be.a('string');
    const [small, medium] = product.variants;
    expect(small).to.deep.include({ sku: 'TEE-S', name: 'S', price: 10, default: true });
    expect(small.packages[0].weight).to.equal(0.2);
    expect([small, medium].map(({ stock }) => stock[0].stock)).to.deep.equal([5, 7]);

    const second = await imported(tees.join('\n'));
    expect(second.run).to.include({ status: 'Completed', created: 0, changed: 0, unchanged: 1 });
    const restocked = [...tees.slice(0, 2), tees[2]?.replace(',7,', ',70,')].join('\n');
    await imported(restocked);
    expect((await productAt('tee')).variants[1].stock[0].stock, 'only new rows take a quantity').to.equal(7);
  });

  it('take away the variants that they leave out, but for those that orders have reserved', async () => {
    const rows = ['Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Qty,Variant Price'];
    const all = [...rows, 'mug,Mug,Glaze,Blue,MUG-B,3,5', 'mug,,,Red,MUG-R,3,5', 'mug,,,Green,MUG-G,3,5'];
    await imported(all.join('\n'));
    const mug = await productAt('mug');
    const red = mug.variants.find(({ sku }: { sku: string }) => sku === 'MUG-R');
    await when(
      manage.post('/shipping-options', { name: 'Van', warehouseId: red.stock[0].warehouseId, fixedCost: 1 }),
    ).then(201);
    const shopper = shop.shopper();
    await shopper.prepare(red.id, 1);
    expect((await shopper.pay()).status).to.equal(200);
    await shop.settle();

    const { run, issues } = await imported(all.slice(0, 2).join('\n'));
    expect(run).to.include({ status: 'Completed', changed: 1 });
    expect(issues.map(({ severity, code }) => [severity, code])).to.deep.include(['warning', 'variant-kept']);
    const skus = (await productAt('mug')).variants.map(({ sku }: { sku: string }) => sku);
    expect(skus).to.deep.equal(['MUG-B', 'MUG-R']);
  });

  it('are refused as a whole by one mistake, with its line and column', async () => {
    const rows = ['Handle,Title,Variant SKU,Variant Price', 'fine,Fine,FINE,1', 'mug,Mug,TEE-S,1'];
    const { run, issues } = await imported(rows.join('\n'));
    expect(run).to.include({ status: 'Failed', message: 'Nothing was imported: 1 errors.', created: 0 });
    const errors = issues.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code, line, column }) => [code, line, column])).to.deep.equal([
      ['value-taken', 3, 'Variant SKU'],
    ]);
    expect(await productAt('fine')).to.equal(undefined);
  });

  it('find a product by its SKU where the handle is new, and mean no product twice', async () => {
    const rows = ['Handle,Title,Variant SKU,Variant Price', 'kettle,Kettle,KET,30', 'pot,Pot,POT,20'];
    await imported(rows.join('\n'));
    const before = await productAt('kettle');
    await imported([rows[0], 'iron-kettle,Iron kettle,KET,30'].join('\n'));
    expect(await productAt('iron-kettle')).to.include({ id: before.id, rootName: 'Iron kettle' });
    const { run, issues } = await imported([rows[0], 'pot,Pot,POT-2,20', 'new-pot,Pot,POT,20'].join('\n'));
    expect(run.status).to.equal('Failed');
    expect(issues.map(({ code, line, column }) => [code, line, column])).to.deep.equal([
      ['product-meant-twice', 3, 'Handle'],
    ]);
  });

  it('say what the shop has against a product', async () => {
    const header =
      'Handle,Title,Option1 Name,Option1 Value,Variant Requires Shipping,Variant Price,Tillroll Product';
    const unknown = `"{""collectionIds"":[""${nobody}""]}"`;
    const rows = [
      header,
      `new,,,,,1,`,
      `bare,Bare,,,,,`,
      `file,File,Size,S,FALSE,1,`,
      `lost,Lost,,,,1,${unknown}`,
    ];
    const { issues } = await imported(rows.join('\n'), '?profile=extended&dryRun=true');
    expect(issues.map(({ code, line, column }) => [code, line, column])).to.deep.equal([
      ['title-missing', 2, 'Title'],
      ['rule-broken', 3, 'Variant Price'],
      ['rule-broken', 4, 'Option1 Name'],
      ['reference-unknown', 5, 'Tillroll Product'],
    ]);
  });

  it('are kept, and can be had again', async () => {
    const text = `\uFEFF${tees.join('\r\n')}`;
    const { run } = await carriedOut('/imports/validate', text);
    const answer = await shop.admin.get(`${base}/runs/${run.id}/download`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const { body: list } = await when(manage.get('/product-sync/runs?pageSize=1')).then(200);
    expect(list.items[0].id).to.equal(run.id);
    expect(list).to.include({ pageSize: 1, hasNextPage: true });
  });

  it('that are none are refused: empty, not in UTF-8, without a header, or too large', async () => {
    const latin = Buffer.from('Handle,Title\ncup,Caf\xe9', 'latin1');
    const sent: readonly (readonly [number, string | Uint8Array, Record<string, string>?])[] = [
      [400, ''],
      [400, latin],
      [400, 'cup,Cup,1'],
      [400, 'Handle,Title', { 'Content-Type': 'application/json' }],
      [413, 'x'.repeat(15 * 1024 * 1024 + 1)],
    ];
    for (const [status, text, headers] of sent) {
      const answer = await send('/imports/start', text, headers);
      const { success, message } = (await answer.json()) as { success: boolean; message: string };
      expect({ status: answer.status, success }).to.deep.equal({ status, success: false });
      expect(message).to.be.a('string').with.length.above(10);
    }
    for (const query of ['?profile=loose', '?dryRun=perhaps'])
      expect((await send(`/imports/start${query}`, tees.join('\n'))).status).to.equal(400);
  });

  it('of the strict profile change nothing when they are imported again', async () => {
    const { run } = await carriedOut('/exports/start', '');
    const answer = await shop.admin.get(`${base}/runs/${run.id}/download`);
    const again = await imported(answer.text);
    expect(again.run).to.include({ status: 'Completed', created: 0, changed: 0, variantsRemoved: 0 });
  });

  it('of the extended profile bring everything back as it was, formulas and all', async () => {
    const warehouse = await make('/warehouses', { name: 'Round trip', address: { countryCode: 'GB' } });
    const collection = await make('/collections', { name: 'Round trip' });
    const lamp = await make('/products', {
      rootName: '=1+1',
      rootUrl: 'lamp',
      description: 'Bright,\n"warm"\r\nlight',
      tags: ['@home'],
      collectionIds: [collection.id],
      images: ['one.png', 'two.png', 'three.png'],
      extendedData: { watts: 9, note: "'=x" },
      options: [
        {
          name: 'Size',
          values: [
            { name: '-S', skuSuffix: 'S' },
            { name: 'L', priceAdjustment: 2 },
          ],
        },
        { name: 'Bulb', isVariant: false, values: [{ name: 'Warm', priceAdjustment: 3, weightKg: 0.1 }] },
      ],
      sku: 'LAMP',
      price: 10,
      previousPrice: 8,
      onSale: true,
      hsCode: '+94',
      packages: [{ weight: 1.5, lengthCm: 3 }],
      stock: [{ warehouseId: warehouse.id, stock: 4, reorderPoint: 2 }],
    });
    const { run } = await carriedOut('/exports/start?profile=extended', '');
    expect(run).to.include({ status: 'Completed', kind: 'export' });
    const answer = await shop.admin.get(`${base}/runs/${run.id}/download`);
    const { text } = answer;
    const handles = text
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]);
    expect(handles.indexOf('kettle'), 'by handle').to.be.lessThan(handles.indexOf('lamp'));

    await when(
      manage.put(`/products/${lamp.id}`, {
        rootName: 'Lamp',
        description: null,
        tags: [],
        images: [],
        extendedData: {},
        options: [],
      }),
    ).then(200);
    const second = await imported(text, '?profile=extended');
    expect(second.issues).to.deep.equal([]);
    expect(second.run).to.include({ status: 'Completed', created: 0, changed: 1, variantsRemoved: 1 });
    const { dateUpdated: _, variants, options, ...restored } = await productAt('lamp');
    const { dateUpdated: __, variants: before, options: optionsBefore, ...was } = lamp;
    expect(restored).to.deep.equal(was);
    expect(options).to.deep.equal(optionsBefore);
    const told = (all: Record<string, unknown>[]) => all.map(({ id: ___, ...variant }) => variant);
    expect(told(variants)).to.deep.equal(told(before));
    const third = await imported(text, '?profile=extended');
    expect(third.run).to.include({ created: 0, changed: 0, variantsRemoved: 0 });
  });

  it('that nobody knows are 404', async () => {
    for (const path of ['', '/issues', '/download'])
      await when(manage.get(`/product-sync/runs/${nobody}${path}`))
        .then(404)
        .and(refusedFor('entity-not-found'))
        .and(noNewEvents());
  });

  it('are imported one at a time: a second one is refused, naming the first', async () => {
    await make('/product-types', { name: 'Plates' });
    const many = Array.from({ length: 300 }, (_, n) => `plate-${n},Plate ${n},Plates,P-${n},1`);
    const text = ['Handle,Title,Type,Variant SKU,Variant Price', ...many].join('\n');
    const [one, other] = await Promise.all([send('/imports/start', text), send('/imports/start', text)]);
    const answers = [one, other].toSorted((a, b) => a.status - b.status);
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 409]);
    const [first, second] = (await Promise.all(answers.map((answer) => answer.json()))) as Record<
      string,
      string
    >[];
    expect(second?.message).to.include(first?.id);
    await worked();
    expect(await runOf(first?.id ?? '')).to.include({ status: 'Completed', created: 300, done: 300 });
  });
});
