import { expect } from 'chai';
import fc from 'fast-check';
import { manage } from '#test/support/requests.ts';
import { managing } from '#test/support/managing.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

const PRODUCTS = Number(process.env['EXPORTED_PRODUCTS'] ?? 60);
const base = '/backoffice/api/v1/product-sync';

/** What files, spreadsheets and their readers trip over, among any other characters. */
const text = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom('\n', '\r', '\r\n', ',', '"', '""', ';', '\t', ' ', '\u00a0'),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom('=', '+', '-', '@', "'", '\uFEFF', '\0', 'TRUE', '1,5', '\u2028'),
        },
        { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join('').slice(0, maxLength).toWellFormed());

const optionalText = (maxLength: number) => fc.option(text(maxLength), { nil: null });
const name = text(30).map((some) => `${some}x`);
const amount = fc.integer({ min: 0, max: 100_000 }).map((minor) => minor / 100);

const variantFields = {
  price: amount,
  costOfGoods: amount,
  previousPrice: fc.option(amount, { nil: null }),
  onSale: fc.boolean(),
  gtin: optionalText(30),
  hsCode: optionalText(10),
  supplierSku: optionalText(30),
  availableForPurchase: fc.boolean(),
  images: fc.array(name, { maxLength: 3 }),
};

const rootFields = {
  rootName: name,
  description: optionalText(200),
  metaDescription: optionalText(100),
  pageTitle: optionalText(100),
  tags: fc.uniqueArray(name, { maxLength: 3, selector: (tag) => tag.trim() }),
  images: fc.array(name, { maxLength: 3 }),
  isDigitalProduct: fc.constant(false),
  extendedData: fc.record({ vendor: optionalText(30), note: optionalText(50) }, { requiredKeys: [] }),
};

/** One variant, or an option with two of them. */
const product = fc.oneof(
  fc.record({ ...rootFields, ...variantFields }),
  fc.record({
    ...rootFields,
    ...variantFields,
    options: fc
      .tuple(
        name,
        fc.uniqueArray(name, { minLength: 2, maxLength: 2, selector: (some) => some.trim().toLowerCase() }),
      )
      .map(([option, values]) => [
        {
          name: option,
          values: values.map((value, place) => ({ name: value, skuSuffix: `${place}` })),
        },
      ]),
  }),
);

describe('files of products with any texts', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());
  const { when, make } = managing(() => shop);

  const carriedOut = async (path: string, body: string) => {
    const answer = await fetch(`${shop.base}${base}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${API_KEY}` },
      body,
    });
    const { id } = (await answer.json()) as { id: string };
    await shop.tester.post('/testing/jobs/product-sync');
    await shop.settle();
    const run = (await when(manage.get(`/product-sync/runs/${id}`)).then(200)).body;
    const { items } = (await when(manage.get(`/product-sync/runs/${id}/issues`)).then(200)).body;
    return { run, issues: items as readonly { severity: string; code: string }[] };
  };

  it(`change nothing when they are imported again: ${PRODUCTS} products`, async () => {
    const bodies = fc.sample(product, PRODUCTS);
    for (const [place, body] of bodies.entries())
      await make('/products', { ...body, rootUrl: `product-${place}`, sku: `SKU ${place}` });
    for (const profile of ['strict', 'extended']) {
      const { run } = await carriedOut(`/exports/start?profile=${profile}`, '');
      const { text: file } = await shop.admin.get(`${base}/runs/${run.id}/download`);
      const again = await carriedOut(`/imports/start?profile=${profile}`, file);
      const errors = again.issues.filter(({ severity }) => severity === 'error');
      expect(
        errors.map((issue) => JSON.stringify(issue)),
        profile,
      ).to.deep.equal([]);
      expect(again.run, profile).to.include({
        status: 'Completed',
        created: 0,
        changed: 0,
        variantsRemoved: 0,
      });
    }
  });
});
