import { expect } from 'chai';
import { createReference } from '#reference/create-reference.ts';
import { createProductSearch, type ProductSearch } from '#reference/search/product-search.ts';
import type { FoundProducts } from '#reference/search/find-products.ts';
import { defined } from '#kernel/defined.ts';
import type { Recorded } from '#kernel/event.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { plainText, wordsOf } from '#values/words.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { applyTo, productNamed } from '#test/support/builders/reference.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';

const nouns = ['mug', 'mugs', 'teapot', 'tea', 'crème', 'dish', 'blue', 'black', 'bluebell'];
const tags = ['gift', 'garden', 'glass'];
const sorts = ['relevance', 'name', 'price', '-price', 'newest'] as const;

const boundsAround = (price: number) => () => ({ from: price - 60, to: price + 60 });

/** Repeatable numbers below `limit`. */
const seeded = (seed: number) => {
  let state = seed;
  return (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

describe('a search of products', () => {
  it('finds the same as looking at each of them, whatever has changed before', () => {
    const random = seeded(7);
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
    const reference = createReference();
    const search = createProductSearch(reference, 1);
    let position = 0;
    const record = (events: readonly GivenEvent[]): void =>
      applyTo(
        reference,
        recordedEvents(events).map((event): Recorded => ({ ...event, position: ++position })),
      );

    const naive = ({ search: text, tag, collectionId, priceBounds }: ProductSearch): readonly string[] =>
      [...reference.catalogue.products()]
        .filter(({ root, variants }) => {
          const buyable = variants.filter((one) => one.canPurchase && one.availableForPurchase);
          const words = wordsOf(
            [root.rootName, ...root.tags, ...buyable.flatMap((one) => [one.sku, one.name])].join(' '),
          );
          return (
            buyable.length > 0 &&
            wordsOf(text ?? '').every((wanted) => words.some((word) => word.startsWith(wanted))) &&
            (tag === undefined || root.tags.some((one) => plainText(one) === plainText(tag))) &&
            (collectionId === undefined || root.collectionIds.includes(collectionId)) &&
            buyable.some(({ price }) => {
              const { from, to } = priceBounds?.(root.taxGroupId) ?? { from: 0, to: Infinity };
              return price >= from && price <= to;
            })
          );
        })
        .map(({ id }) => id)
        .sort();

    for (let turn = 0; turn < 400; turn++) {
      const sku = `sku-${random(60)}`;
      const known = reference.catalogue.product(idNamed(`root ${sku}`));
      if (known && random(4) === 0)
        record(inStream(streamOf.product(known.id), productEvents.create.ProductDeleted({})));
      else if (!known)
        record(
          productNamed(sku, {
            root: {
              rootName: `${pick(nouns)} ${pick(nouns)}`,
              rootUrl: sku,
              tags: random(2) === 0 ? [pick(tags)] : [],
              collectionIds: [idNamed(pick(['a', 'b']))],
            },
            variant: { name: pick(nouns), price: random(50) * 10, canPurchase: random(6) > 0 },
          }),
        );
      const asked = {
        ...(random(3) > 0
          ? { search: `${pick(nouns).slice(0, 1 + random(4))} ${random(2) ? '' : 'sku'}` }
          : {}),
        ...(random(3) === 0 ? { tag: pick(tags).toUpperCase() } : {}),
        ...(random(3) === 0 ? { collectionId: idNamed(pick(['a', 'b'])) } : {}),
        ...(random(3) === 0 ? { priceBounds: boundsAround(random(500)) } : {}),
        sort: pick(sorts),
      };
      const whole = search.find({ ...asked, skip: 0, limit: 1000 });
      expect(whole.products.map(({ id }) => id).sort()).to.deep.equal(naive({ ...asked, skip: 0, limit: 0 }));
      expect(whole.totalItems).to.equal(whole.products.length);
      const from = random(5);
      const page = search.find({ ...asked, skip: from, limit: 3 });
      expect(page.products).to.deep.equal(whole.products.slice(from, from + 3));
      const followed: string[] = [];
      for (let after: FoundProducts['next'] | undefined; after !== null;) {
        const found = search.find({ ...asked, sort: 'relevance', skip: 0, limit: 7, ...defined({ after }) });
        followed.push(...found.products.map(({ id }) => id));
        after = found.next;
      }
      const best = search.find({ ...asked, sort: 'relevance', skip: 0, limit: 1000 });
      expect(followed).to.deep.equal(best.products.map(({ id }) => id));
      const prices = whole.products.map(({ variants }) => variants[0]?.price ?? 0);
      if (asked.sort === 'price') expect(prices).to.deep.equal(prices.toSorted((one, other) => one - other));
      if (asked.sort === '-price') expect(prices).to.deep.equal(prices.toSorted((one, other) => other - one));
    }
  });

  it('lists each product of a large import in every order', () => {
    const reference = createReference();
    const search = createProductSearch(reference);
    const skus = Array.from({ length: 2500 }, (_, number) => `sku-${number}`);
    let position = 0;
    for (const sku of skus)
      applyTo(
        reference,
        recordedEvents(productNamed(sku, { root: { rootUrl: sku } })).map((event): Recorded => ({
          ...event,
          position: ++position,
        })),
      );
    const ids = skus.map((sku) => idNamed(`root ${sku}`)).sort();
    const begunLater = createProductSearch(reference);
    for (const sort of sorts) {
      const { products } = search.find({ sort, skip: 0, limit: skus.length });
      expect(products.map(({ id }) => id).sort(), sort).to.deep.equal(ids);
      expect(begunLater.find({ sort, skip: 0, limit: skus.length }).products, sort).to.deep.equal(products);
    }
  });
});
