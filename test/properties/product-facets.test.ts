import { expect } from 'chai';
import fc from 'fast-check';
import { filterGroup } from '#entities/filter-group.entity.ts';
import { filter } from '#entities/filter.entity.ts';
import { productType } from '#entities/product-type.entity.ts';
import { productEvents, type ProductVariant } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { createReference } from '#reference/create-reference.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { createProductSearch, type ProductQuery } from '#reference/search/product-search.ts';
import { mayBeMistyped } from '#reference/search/near-words.ts';
import { streamOf } from '#values/stream-name.ts';
import { plainText, wordsOf } from '#values/words.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { applyTo, entityCreated, productNamed, warehouseNamed } from '#test/support/builders/reference.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';
import { beginsNear } from '#test/support/typing-errors.ts';

const groups = { Colour: ['red', 'blue', 'green'], Size: ['small', 'large'] };
const filters = Object.values(groups).flat();
const types = ['Crockery', 'Linen'];
const collections = ['Spring', 'Autumn'];
const tags = ['Gift', 'garden', 'Café'];
const nouns = ['teapot', 'teacup', 'mug', 'crème', 'linen', 'napkin'];
const taxGroups = [null, idNamed('standard')];
const at = '2030-01-01T00:00:00.000Z';

const groupOf = (filterName: string): string =>
  Object.entries(groups).find(([, names]) => names.includes(filterName))?.[0] ?? '';

interface GivenVariant {
  readonly price: number;
  readonly filters: readonly string[];
  readonly stock: number;
  readonly isSold: boolean;
}

interface GivenProduct {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly collections: readonly string[];
  readonly tags: readonly string[];
  readonly taxGroupId: string | null;
  readonly variants: readonly GivenVariant[];
}

const keys = ['one', 'two', 'three', 'four', 'five'];

const givenProduct: fc.Arbitrary<GivenProduct> = fc.record({
  key: fc.constantFrom(...keys),
  name: fc.constantFrom(...nouns, 'blue mug'),
  description: fc.constantFrom('', 'A <b>teapot</b> for the garden', 'Of fine porcelain', 'a b c'),
  type: fc.constantFrom(...types),
  collections: fc.subarray(collections),
  tags: fc.subarray(tags),
  taxGroupId: fc.constantFrom(...taxGroups),
  variants: fc.array(
    fc.record({
      price: fc.constantFrom(100, 200, 300, 6_000_000_000),
      filters: fc.subarray(filters),
      stock: fc.constantFrom(0, 0, 3),
      isSold: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

type Step =
  | { readonly kind: 'put'; readonly product: GivenProduct }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'stock'; readonly key: string; readonly place: number; readonly stock: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), product: givenProduct }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), key: fc.constantFrom(...keys) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('stock' as const),
      key: fc.constantFrom(...keys),
      place: fc.integer({ min: 0, max: 2 }),
      stock: fc.constantFrom(0, 4),
    }),
  },
);

const boundsOf = (taxGroupId: string | null) =>
  taxGroupId === null ? { from: 150, to: 350 } : { from: 100, to: 200 };

const query: fc.Arbitrary<ProductQuery> = fc
  .record({
    search: fc.constantFrom(
      '',
      '',
      '',
      'tea',
      'taepot',
      'porclain',
      'mug',
      'b',
      'lin',
      'lnien',
      'cafe',
      'sku',
    ),
    collectionId: fc.option(fc.constantFrom(...collections.map(idNamed)), { nil: undefined }),
    productTypeId: fc.option(fc.constantFrom(...types.map(idNamed)), { nil: undefined }),
    tag: fc.option(fc.constantFrom('gift', 'CAFE'), { nil: undefined, freq: 3 }),
    chosen: fc.subarray(filters),
    isPriced: fc.boolean(),
    availableOnly: fc.boolean(),
  })
  .map(({ chosen, isPriced, ...rest }) => ({
    ...rest,
    filterGroups: [...Map.groupBy(chosen, groupOf).values()].map((names) => names.map(idNamed)),
    ...(isPriced && { priceBounds: boundsOf }),
  }));

/** A shop in which products come, change, sell and go. */
const openShop = () => {
  const reference = createReference();
  let position = 0;
  const record = (...events: readonly GivenEvent[]): void =>
    applyTo(
      reference,
      recordedEvents(events).map((event): Recorded => ({ ...event, position: ++position })),
    );
  record(
    warehouseNamed('East'),
    ...Object.keys(groups).map((name) => entityCreated(filterGroup, name, {})),
    ...filters.map((name) => entityCreated(filter, name, { filterGroupId: idNamed(groupOf(name)) })),
    ...types.map((name) => entityCreated(productType, name, {})),
  );
  const variantId = (key: string, place: number): string => idNamed(`${key} ${place}`);
  const inProduct = (key: string) => streamOf.product(idNamed(`root ${key}`));
  const stockOf = (key: string, place: number, stock: number): GivenEvent[] =>
    inStream(
      streamOf.stock(idNamed(`${key} ${place} East`)),
      inventoryEvents.create.StockRowOpened({
        productId: variantId(key, place),
        warehouseId: idNamed('East'),
        sku: `sku-${key}-${place}`,
        stock,
        trackStock: true,
        reorderPoint: null,
        reorderQuantity: null,
      }),
    ) as GivenEvent[];

  const put = ({ key, name, description, variants, ...given }: GivenProduct): void => {
    const [created] = productNamed(key);
    if (created?.type !== 'ProductCreated') throw new Error('must be a product');
    const data = created.data as { root: object; variants: ProductVariant[] };
    const [model] = data.variants;
    const root = {
      ...data.root,
      rootName: name,
      rootUrl: key,
      description,
      productTypeId: idNamed(given.type),
      collectionIds: given.collections.map(idNamed),
      tags: given.tags,
      taxGroupId: given.taxGroupId,
      warehouses: [{ warehouseId: idNamed('East'), priorityOrder: 0 }],
    };
    const all = variants.map((one, place) => ({
      ...(model as ProductVariant),
      id: variantId(key, place),
      sku: `sku-${key}-${place}`,
      name: '',
      price: one.price,
      canPurchase: one.isSold,
      filterIds: one.filters.map(idNamed),
      stockRows: [{ warehouseId: idNamed('East'), trackStock: true }],
    }));
    record(
      ...inStream(inProduct(key), productEvents.create.ProductCreated({ root, variants: all, at } as never)),
    );
    variants.forEach((one, place) => record(...stockOf(key, place, one.stock)));
  };
  return {
    reference,
    take: (one: Step): void => {
      if (one.kind === 'put') put(one.product);
      else if (one.kind === 'delete')
        record(...inStream(inProduct(one.key), productEvents.create.ProductDeleted({})));
      else record(...stockOf(one.key, one.place, one.stock));
    },
  };
};
type Shop = ReturnType<typeof openShop>;

const typeNames = new Map(types.map((name) => [idNamed(name), name]));
const soldOf = ({ variants }: SoldProduct) => variants.filter((one) => one.canPurchase);

/** What is found, by looking at each product. */
const naive = ({ reference }: Shop, descriptions: ReadonlyMap<string, string>) => {
  const products = [...reference.catalogue.products()].filter((one) => soldOf(one).length > 0);
  const texts = (one: SoldProduct) => ({
    words: wordsOf(
      [one.root.rootName, ...one.root.tags, ...soldOf(one).flatMap(({ sku, name }) => [sku, name])].join(' '),
    ),
    described: wordsOf((descriptions.get(one.id) ?? '').replaceAll(/<[^>]*>/g, ' ')),
    typed: wordsOf(typeNames.get(one.root.productTypeId) ?? ''),
  });
  const has = (one: SoldProduct, wanted: string, isOne: (word: string) => boolean): boolean => {
    const { words, described, typed } = texts(one);
    return [...words, ...typed, ...described.filter((word) => wanted.length > 2 || word === wanted)].some(
      isOne,
    );
  };
  const hasWord = (wanted: string) => {
    const asWritten = (one: SoldProduct) => has(one, wanted, (word) => word.startsWith(wanted));
    const isNamed = types.some((name) => plainText(name).startsWith(wanted));
    if (isNamed || products.some(asWritten) || !mayBeMistyped(wanted)) return asWritten;
    return (one: SoldProduct) => has(one, wanted, (word) => beginsNear(word, wanted));
  };
  const inStock = ({ id }: ProductVariant) => {
    const level = reference.stock.level(id, idNamed('East'));
    return level !== undefined && level.stock > 0;
  };
  const variantsFor = (asked: ProductQuery, product: SoldProduct) => {
    const bounds = asked.priceBounds?.(product.root.taxGroupId) ?? { from: 0, to: Infinity };
    return soldOf(product).filter(
      (variant) =>
        variant.price >= bounds.from &&
        variant.price <= bounds.to &&
        (asked.filterGroups ?? []).every((group) => group.some((id) => variant.filterIds.includes(id))) &&
        (asked.availableOnly !== true || inStock(variant)),
    );
  };
  const find = (asked: ProductQuery): readonly SoldProduct[] => {
    const wanted = wordsOf(asked.search ?? '').map(hasWord);
    return products.filter((product) => {
      const { root } = product;
      const variants = variantsFor(asked, product);
      return (
        variants.length > 0 &&
        wanted.every((isIn) => isIn(product)) &&
        (asked.collectionId === undefined || root.collectionIds.includes(asked.collectionId)) &&
        (asked.productTypeId === undefined || root.productTypeId === asked.productTypeId) &&
        (asked.tag === undefined || root.tags.some((tag) => plainText(tag) === plainText(asked.tag ?? '')))
      );
    });
  };
  const prices = (asked: ProductQuery) => {
    const { priceBounds: _, ...others } = asked;
    const shown = find(others).flatMap((product) =>
      variantsFor(others, product).map(({ price }) => ({ taxGroupId: product.root.taxGroupId, price })),
    );
    return [...Map.groupBy(shown, ({ taxGroupId }) => taxGroupId)].map(([taxGroupId, all]) => ({
      taxGroupId,
      low: Math.min(...all.map(({ price }) => price)),
      high: Math.max(...all.map(({ price }) => price)),
    }));
  };
  return { find, prices };
};

const counted = <Id extends string>(ids: readonly Id[], countOf: (id: Id) => number) =>
  Object.fromEntries(ids.map((id) => [id, countOf(id)] as const).filter(([, count]) => count > 0));

describe('facets of products', () => {
  it('count what would be found with each choice, whatever has changed before', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 25 }),
        fc.array(query, { minLength: 1, maxLength: 4 }),
        (steps, asked) => {
          const shop = openShop();
          const descriptions = new Map<string, string>();
          const half = Math.floor(steps.length / 2);
          const take = (one: Step): void => {
            shop.take(one);
            if (one.kind === 'put')
              descriptions.set(idNamed(`root ${one.product.key}`), one.product.description);
          };
          steps.slice(0, half).forEach(take);
          const search = createProductSearch(shop.reference, 1);
          for (const each of asked) search.facets(each);
          steps.slice(half).forEach(take);

          const { find, prices } = naive(shop, descriptions);
          for (const each of asked) {
            const ids = (found: readonly SoldProduct[]) => found.map(({ id }) => id).sort();
            const page = search.find({ ...each, sort: 'relevance', skip: 0, limit: 100 });
            expect(ids(page.products)).to.deep.equal(ids(find(each)));

            const facets = search.facets(each);
            const besides = (name: string) =>
              (each.filterGroups ?? []).filter(
                (group) =>
                  !filters.some((one) => groupOf(one) === groupOf(name) && group.includes(idNamed(one))),
              );
            expect(Object.fromEntries(facets.filters)).to.deep.equal(
              Object.fromEntries(
                Object.entries(
                  counted(
                    filters,
                    (name) => find({ ...each, filterGroups: [...besides(name), [idNamed(name)]] }).length,
                  ),
                ).map(([name, count]) => [idNamed(name), count]),
              ),
            );
            expect(Object.fromEntries(facets.collections)).to.deep.equal(
              counted(collections.map(idNamed), (collectionId) => find({ ...each, collectionId }).length),
            );
            expect(Object.fromEntries(facets.productTypes)).to.deep.equal(
              counted(types.map(idNamed), (productTypeId) => find({ ...each, productTypeId }).length),
            );
            expect(Object.fromEntries(facets.tags)).to.deep.equal(
              counted(tags.map(plainText), (tag) => find({ ...each, tag }).length),
            );
            const inStock = find({ ...each, availableOnly: true }).length;
            expect({ available: facets.available, unavailable: facets.unavailable }).to.deep.equal({
              available: inStock,
              unavailable: find({ ...each, availableOnly: false }).length - inStock,
            });
            expect(facets.prices).to.have.deep.members(prices(each));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
