import { expect } from 'chai';
import { createStoreImport } from '#command/contexts/store/import-store.ts';
import { suggest } from '#reference/suggest.ts';
import { InvalidStoreFile } from '#command/contexts/store/read-store-file.ts';
import { announcedBy } from '#test/support/announced.ts';
import { demoStoreText as demoStore } from '#test/support/demo-store.ts';
import { TestShop } from '#test/support/shop.ts';

interface Entry {
  key: string;
  [field: string]: unknown;
}
interface Variant {
  sku: string;
  [field: string]: unknown;
}

/** A small store, as a file's author writes it. */
const smallStore = () => ({
  formatVersion: 1,
  settings: { name: 'Corner shop', storeCurrencyCode: 'GBP' } as Record<string, unknown>,
  taxGroups: [{ key: 'standard', name: 'Standard', taxPercentage: 20 }] as Entry[],
  warehouses: [{ key: 'east', name: 'East', code: 'E', address: { countryCode: 'GB' } }] as Entry[],
  shippingOptions: [{ key: 'parcel', name: 'Parcel', warehouse: 'east', fixedCost: 3.5 }] as Entry[],
  productTypes: [{ key: 'mugs', name: 'Mugs' }] as Entry[],
  collections: [{ key: 'kitchen', name: 'Kitchen' }] as Entry[],
  products: [
    {
      key: 'mug',
      rootName: 'Mug',
      taxGroup: 'standard',
      productType: 'mugs',
      collections: ['kitchen'],
      variants: [{ sku: 'MUG', price: 12.5, stock: [{ warehouse: 'east', stock: 7 }] }] as Variant[],
    },
  ] as (Entry & { variants: Variant[] })[],
  discounts: [
    {
      key: 'ten',
      name: 'Ten',
      category: 'AmountOffOrder',
      method: 'Code',
      valueType: 'Percentage',
      value: 10,
      code: 'ten',
    },
  ] as Entry[],
  segments: [] as Entry[],
  webhooks: [] as Entry[],
});
type SmallStore = ReturnType<typeof smallStore>;

describe('a store file', () => {
  let shop: TestShop;

  beforeEach(async () => {
    shop = await TestShop.open();
  });
  afterEach(() => shop.close());

  const importStore = (text: string) => createStoreImport(shop.shop.command.deps)(text);
  const load = (store: SmallStore) => importStore(JSON.stringify(store));
  const head = () => shop.shop.runtime.store.head();
  const problemsOf = async (store: unknown): Promise<readonly string[]> => {
    const before = await head();
    try {
      await importStore(JSON.stringify(store));
    } catch (error) {
      if (!(error instanceof InvalidStoreFile)) throw error;
      expect(await head(), 'nothing was imported').to.equal(before);
      return error.problems;
    }
    return expect.fail('the file was imported');
  };
  /** Of the log, from now on. */
  const streamsRead = (): readonly string[] => {
    const { store } = shop.shop.runtime;
    const readStream = store.readStream.bind(store);
    const reads: string[] = [];
    store.readStream = (stream, ...rest) => {
      reads.push(stream);
      return readStream(stream, ...rest);
    };
    return reads;
  };
  const mug = () => {
    const found = shop.shop.runtime.reference.catalogue.variantBySku('MUG');
    if (!found) throw new Error('there is no mug');
    return found;
  };

  it('fills a shop, which says so last', async () => {
    const reads = streamsRead();
    const { counts, changed } = await load(smallStore());
    const looked = reads.filter((stream) => /^(product|stock)-/.test(stream));
    expect(looked, 'no product can be there yet').to.deep.equal([]);
    await shop.settle();
    expect(counts).to.deep.include({ products: 1, warehouses: 1, discounts: 1 });
    expect(changed).to.equal(8);
    const { reference } = shop.shop.runtime;
    expect(mug().variant).to.include({ price: 1250, name: 'Mug', isDefault: true });
    expect(mug().root.rootUrl).to.equal('mug');
    const names = mug().root.collectionIds.map((id) => reference.entities.find('collection', id)?.['name']);
    expect(names).to.deep.equal(['Kitchen']);
    expect(reference.settings.storeCurrency()).to.equal('GBP');
    expect(reference.settings.isStoreImported()).to.equal(true);
    const last = (await shop.shop.runtime.store.readAll((await head()) - 1)).at(-1);
    expect(last?.type).to.equal('StoreImported');
  });

  it('announces what it makes, the units of a row as imported', async () => {
    const messages = await announcedBy(shop, () => load(smallStore()));
    const told = messages.map(({ topic, data }) => [topic, data['name'] ?? data['reason']]);
    expect(told).to.have.deep.members([
      ['product.created', 'Mug'],
      ['inventory.adjusted', 'import'],
      ['discount.created', 'Ten'],
    ]);
  });

  it('says where shipping is taxed otherwise, and never of a place what it said before of another', async () => {
    const overrides = (...entries: readonly object[]) => ({ ...smallStore(), shippingTaxOverrides: entries });
    const bavaria = { key: 'south', countryCode: 'DE', regionCode: 'de-by', shippingTaxGroup: 'standard' };
    await importStore(JSON.stringify(overrides(bavaria)));
    expect((await importStore(JSON.stringify(overrides(bavaria)))).changed).to.equal(0);
    const { tax } = shop.shop.runtime.reference;
    const place = { countryCode: 'DE', regionCode: 'BY', postalCode: null };
    expect(tax.rate(tax.shippingOverride(place)?.shippingTaxGroupId ?? null, place)).to.equal(20);
    expect(await problemsOf(overrides({ ...bavaria, regionCode: 'BE' }))).to.deep.equal([
      'shippingTaxOverrides.0.regionCode: must be BY, which cannot be changed',
    ]);
    expect(
      await problemsOf(overrides(bavaria, { ...bavaria, key: 'again', regionCode: 'BY' })),
    ).to.deep.equal([
      'shippingTaxOverrides.1.regionCode: BY belongs to DE BY',
      'shippingTaxOverrides.1.regionCode: must be a value that stands there once, not DE BY again',
    ]);
    expect(await problemsOf(overrides({ ...bavaria, key: 'north', regionCode: 'ZZ' }))).to.deep.equal([
      'shippingTaxOverrides.0.regionCode: must be a region of that country',
    ]);
  });

  it('changes nothing the second time, even after sales', async () => {
    await load(smallStore());
    await shop.settle();
    const shopper = shop.shopper();
    await shopper.prepare(mug().variant.id, 2);
    expect((await shopper.pay()).status).to.equal(200);
    await shop.settle();
    const before = await head();
    expect(await load(smallStore())).to.include({ changed: 0 });
    expect(await head()).to.equal(before);
  });

  it('has upsell rules that name everything by keys, filter groups and single filters alike', async () => {
    const ruled = (changes: object) => ({
      ...smallStore(),
      filterGroups: [{ key: 'colour', name: 'Colour', filters: [{ key: 'blue', name: 'Blue' }] }],
      segments: [{ key: 'friends', name: 'Friends', segmentType: 'Manual' }],
      upsells: [
        {
          key: 'mugs',
          name: 'Mugs',
          heading: 'Mugs',
          status: 'Active',
          startsAt: '2024-01-01T00:00:00Z',
          triggerRules: [{ triggerType: 'Collections', triggers: ['kitchen'], extractFilters: ['colour'] }],
          recommendationRules: [
            { recommendationType: 'SpecificProducts', ids: ['mug'], matchFilters: ['blue', 'colour'] },
          ],
          eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: ['friends'] }],
          displayStyles: { basket: { collections: ['kitchen'] } },
          ...changes,
        },
      ],
    });
    expect((await load(ruled({}))).counts).to.include({ upsells: 1 });
    await shop.settle();
    const [rule] = shop.shop.runtime.reference.entities.all('upsellRule').values();
    const { rootId, root } = mug();
    expect(rule).to.deep.include({
      status: 'Active',
      displayStyles: { basket: { collections: ['kitchen'] } },
    });
    expect(rule?.['triggerRules'])
      .to.have.nested.property('0.triggerIds')
      .that.deep.equals(root.collectionIds);
    expect(rule?.['recommendationRules']).to.have.nested.property('0.ids').that.deep.equals([rootId]);
    expect(await load(ruled({}))).to.include({ changed: 0 });
    const moon = { recommendationType: 'Collections', ids: ['moon'], matchFilters: ['moon'] };
    expect(await problemsOf(ruled({ recommendationRules: [moon] }))).to.deep.equal([
      'upsells.0.recommendationRules.0.ids.0: must be the key of one of the collections',
      'upsells.0.recommendationRules.0.matchFilters.0: must be the key of one of the filterGroups or filters',
    ]);
  });

  it('makes the matching changes of an entry that has changed, and leaves what it no longer names', async () => {
    await load(smallStore());
    const changed = smallStore();
    const [product] = changed.products;
    product?.variants.splice(0, 1, { sku: 'MUG', price: 14, stock: [{ warehouse: 'east', stock: 99 }] });
    product?.variants.push({ sku: 'MUG-XL', price: 18 });
    changed.collections = [];
    if (product) product['collections'] = [];
    expect(await load(changed)).to.include({ changed: 1 });
    await shop.settle();
    const { catalogue, stock } = shop.shop.runtime.reference;
    expect(mug().variant.price).to.equal(1400);
    expect(catalogue.variantBySku('MUG-XL')?.rootId).to.equal(mug().rootId);
    const [row] = mug().variant.stockRows;
    expect(stock.level(mug().variant.id, row?.warehouseId ?? '')?.stock, 'stock counts once').to.equal(7);
    const { body } = await shop.admin.get('/backoffice/api/v1/collections');
    expect(JSON.stringify(body)).to.include('Kitchen');
  });

  it('is refused whole, with every problem and where it stands', async () => {
    const wrong = smallStore();
    wrong.taxGroups.push({ key: 'standard', name: '', taxPercentage: 120 });
    wrong.shippingOptions.push({ key: 'bike', name: 'Bike', warehouse: 'moon', daysFrom: 4, daysTo: 2 });
    wrong.products[0]?.variants.push({ sku: 'MUG', price: 1.999 });
    wrong.settings['storeColour'] = 'red';
    const discount = { category: 'AmountOffOrder', method: 'Automatic', valueType: 'Percentage', value: 5 };
    const discounts = [
      {
        ...discount,
        key: 'moon',
        name: 'Moon',
        targetRules: [{ targetType: 'Warehouses', targets: ['moon'] }],
        eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: ['moonwalkers'] }],
      },
      {
        ...discount,
        key: 'free',
        name: 'Free',
        category: 'FreeShipping',
        freeShipping: { allowedShippingOptions: ['rocket'] },
      },
    ];
    const problems = await problemsOf({ ...wrong, discounts });
    const places = problems.map((problem) => problem.slice(0, problem.indexOf(':')));
    expect(places).to.include.members([
      'taxGroups.1.key',
      'taxGroups.1.name',
      'taxGroups.1.taxPercentage',
      'shippingOptions.1.warehouse',
      'shippingOptions.1.daysTo',
      'products.0.variants.1.price',
      'discounts.0.targetRules.0.targets.0',
      'discounts.0.eligibilityRules.0.ids.0',
      'discounts.1.freeShipping.allowedShippingOptions.0',
      'settings.storeColour',
    ]);
  });

  it('brings segments with their criteria, whose type stays', async () => {
    const regulars = {
      key: 'regulars',
      name: 'Regulars',
      segmentType: 'Automated',
      criteria: [{ field: 'TotalSpend', operator: 'GreaterThan', value: 99.5 }],
    };
    expect((await load({ ...smallStore(), segments: [regulars] })).counts['segments']).to.equal(1);
    await load({ ...smallStore(), segments: [regulars] });
    const { body } = await shop.admin.get('/backoffice/api/v1/customer-segments');
    expect((body.items as Entry[])[0]).to.deep.include({
      name: 'Regulars',
      criteria: [{ field: 'TotalSpend', operator: 'GreaterThan', value: 99.5, value2: null }],
      memberCount: 0,
    });
    const wrong = { ...regulars, segmentType: 'Manual', criteria: [{ field: 'Size', operator: 'Equals' }] };
    const places = (await problemsOf({ ...smallStore(), segments: [{ ...wrong, key: 'other' }] })).map(
      (problem) => problem.slice(0, problem.indexOf(':')),
    );
    expect(places).to.include('segments.0.criteria.0.field');
    const changed = { ...regulars, segmentType: 'Manual', criteria: [] };
    expect(await problemsOf({ ...smallStore(), segments: [changed] })).to.deep.equal([
      'segments.0.segmentType: must be Automated, which cannot be changed',
    ]);
  });

  it('brings customers with their addresses once, and takes none away', async () => {
    const home = { name: 'Ada', addressOne: '1 High St', countryCode: 'GB', externalKey: 'home' };
    const ada = { key: 'ada', email: 'Ada@Example.com', firstName: 'Ada', addresses: [home] };
    const of = (...customers: object[]) => ({ ...smallStore(), customers });
    const known = async () => {
      await shop.settle();
      const { body } = await shop.admin.get('/backoffice/api/v1/customers');
      return (body.items as Entry[]).map(({ id, email, lastName, addresses }) => ({
        id: String(id),
        email,
        lastName,
        addresses: (addresses as Entry[]).map((one) => `${one['externalKey']}: ${one['addressOne']}`),
      }));
    };
    expect((await load(of(ada))).counts['customers']).to.equal(1);
    const [first] = await known();
    expect(first).to.include({ email: 'ada@example.com', lastName: null });
    expect(first?.addresses).to.deep.equal(['home: 1 High St']);
    expect((await load(of(ada))).changed).to.equal(0);

    const work = { addressOne: '9 Quay', countryCode: 'GB', externalKey: 'work' };
    const moved = { ...ada, lastName: 'Lovelace', addresses: [{ ...home, addressOne: '2 High St' }] };
    const path = `/backoffice/api/v1/customers/${first?.id ?? ''}`;
    await shop.admin.put(path, { addresses: [home, work] });
    expect((await load(of(moved))).changed).to.equal(1);
    const [changed] = await known();
    expect(changed).to.include({ id: first?.id, lastName: 'Lovelace' });
    expect(changed?.addresses).to.deep.equal(['home: 2 High St', 'work: 9 Quay']);

    const wrong = { key: 'bob', email: 'bob@example', addresses: [{ countryCode: 'ZZ' }, work, work] };
    const problems = await problemsOf(of(moved, { ...ada, key: 'eve' }, wrong));
    expect(problems.map((problem) => problem.slice(0, problem.indexOf(':')))).to.have.members([
      'customers.1.email',
      'customers.1.email',
      'customers.2.email',
      'customers.2.addresses',
      'customers.2.addresses.0.countryCode',
    ]);

    await shop.admin.delete(path);
    const gone = await head();
    expect((await load(of(moved))).changed, 'whoever is deleted stays so').to.equal(0);
    expect(await known()).to.deep.equal([]);
    expect(await head()).to.equal(gone);
  });

  it('subscribes webhooks once, follows what changes about them, and checks where they go', async () => {
    const hook = {
      key: 'books',
      name: 'Books',
      topic: 'invoice.paid',
      targetUrl: 'https://books.example/in',
    };
    const subscribed = async () => {
      const { body } = await shop.admin.get('/backoffice/api/v1/webhooks');
      return (body.items as Entry[]).map(({ name, topic }) => `${String(name)} ${String(topic)}`);
    };
    expect((await load({ ...smallStore(), webhooks: [hook] })).counts['webhooks']).to.equal(1);
    expect((await load({ ...smallStore(), webhooks: [hook] })).changed).to.equal(0);
    expect((await load({ ...smallStore(), webhooks: [{ ...hook, name: 'Ledger' }] })).changed).to.equal(1);
    await shop.settle();
    expect(await subscribed()).to.deep.equal(['Ledger invoice.paid']);
    await load({ ...smallStore(), webhooks: [{ ...hook, topic: 'order.created' }] });
    await shop.settle();
    expect(await subscribed()).to.deep.equal(['Books order.created']);

    const inside = { ...hook, targetUrl: 'http://169.254.169.254/', authType: 'BearerToken' };
    expect(
      await problemsOf({ ...smallStore(), webhooks: [inside, { ...hook, key: 'other', topic: 'x' }] }),
    ).to.have.length(3);
  });

  it('is refused when it is for another currency, names what there is not, or is no file at all', async () => {
    await load(smallStore());
    const euros = smallStore();
    euros.settings['storeCurrencyCode'] = 'EUR';
    expect(await problemsOf(euros)).to.deep.equal([
      'settings.storeCurrencyCode: must be GBP, the currency of this store',
    ]);
    expect(await problemsOf({ ...smallStore(), formatVersion: 2 })).to.deep.equal([
      'formatVersion: must be 1',
    ]);
    expect(await problemsOf({ ...smallStore(), produkte: [] })).to.deep.equal([
      'produkte: no such name is known',
    ]);
  });

  it('is refused when a sku of it belongs to a product of the shop', async () => {
    await shop.sell('MUG', { price: 5 });
    expect(await problemsOf(smallStore())).to.deep.equal(['products.0.sku: MUG belongs to Product MUG']);
  });

  it('finishes an import that was killed on the way', async () => {
    const half = smallStore();
    half.products = [];
    await load(half);
    await load(smallStore());
    await shop.settle();
    expect(mug().variant.sku).to.equal('MUG');
  });
});

/** The upsell rules that suggest something to regulars, somewhere, beside one of these baskets. */
const namesSuggested = ({ shop }: TestShop): readonly string[] => {
  const { reference, clock } = shop.command.deps;
  const baskets = [
    ['BRW-DRIPPER-01', 'TEA-MATCHA-20', 'COF-LADERA-250-WB', 'TEA-SENCHA-50'],
    ['COF-LADERA-250-WB', 'TEA-SENCHA-50', 'BOX-BREAKFAST', 'CER-QUAYMUG-OAT'],
    ['TEA-MATCHA-20', 'TEA-SENCHA-50'],
  ].map((skus) =>
    skus.flatMap((sku) => {
      const found = reference.catalogue.variantBySku(sku);
      if (!found) return [];
      const { rootId: productRootId, variant } = found;
      return [{ productId: variant.id, productRootId, quantity: 1, unitPrice: variant.price }];
    }),
  );
  const regulars = [...reference.entities.all('customerSegment').keys()];
  const places = ['Checkout', 'Basket', 'Confirmation', 'AutoAdd'] as const;
  const found = places.flatMap((location) =>
    baskets.flatMap((lines) =>
      suggest(reference, {
        location,
        lines,
        now: clock.now(),
        buyer: { customerId: null, segmentIds: regulars },
        place: { countryCode: 'US', regionCode: null },
        limit: 100,
        seed: 1,
      }),
    ),
  );
  return [...new Set(found.map(({ upsell }) => upsell.rule.name))];
};

describe('the demo store file', () => {
  it('is imported, shoppers can buy from it, and a second time it changes nothing', async () => {
    const shop = await TestShop.open({ settings: { storeCurrencyCode: 'USD' } });
    try {
      const steps: number[] = [];
      const load = createStoreImport(shop.shop.command.deps);
      const { counts } = await load(demoStore, { onProgress: ({ done }) => steps.push(done) });
      expect(steps.at(-1)).to.equal(Object.values(counts).reduce((sum, count) => sum + count, 0));
      await shop.settle();
      const { catalogue } = shop.shop.runtime.reference;
      expect(catalogue.variantBySku('TEA-CLOUD-T')?.variant).to.include({ name: 'Tin', price: 2050 });
      const shopper = shop.shopper();
      await shopper.prepare(catalogue.variantBySku('TEA-SENCHA-50')?.variant.id ?? '', 3);
      const answer = await shopper.pay();
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      expect((await load(demoStore)).changed).to.equal(0);
      expect(namesSuggested(shop)).to.have.lengthOf(10);
    } finally {
      await shop.close();
    }
  });
});
