import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backoffice } from './backoffice.ts';
import { anyProduct, slice, times, words } from './catalogue-rows.ts';
import { median, milliseconds, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { searchMegabytes } from './search-memory.ts';
import type { Question } from './shopper.ts';
import { stock, type Stocked } from './stocked-shop.ts';
import { catalogueStore, type BenchStore } from './store.ts';
import { runModule } from './workers.ts';

const AGENTS = 16;
const SEARCH_P95_MS = 20;
const LOOKUP_P95_MS = 15;
const LOOKUPS = 200;
const IDS = 50;
const FOUND_MS = 1000;
const INDEX_MEGABYTES = 100;

const catalogue = '/api/v1/catalog';
const asked = (operation: string, body: object): Question => ({
  path: `${catalogue}/${operation}`,
  body: JSON.stringify(body),
  telling: '"status":"success"',
});

const searches: readonly Question[] = words.flatMap((query, index) => {
  const context = { address_country: 'GB', currency: 'GBP' };
  const filters = {
    categories: [`Collection ${index}`],
    price: { min: 500 * index, max: 500 * index + 4000 },
  };
  return [
    asked('search', { query, context }),
    asked('search', { query, filters, context }),
    asked('search', { query, pagination: { limit: 50 } }),
    asked('search', { filters, context }),
  ];
});

/** Ids that lie far apart, so that no two are of one product. */
const lookups = (productIds: readonly string[]): readonly Question[] =>
  Array.from({ length: LOOKUPS }, (_, turn) =>
    asked('lookup', {
      ids: Array.from({ length: IDS }, (__, place) => {
        const at = turn * 7 + Math.floor((place * productIds.length) / IDS);
        return productIds[at % productIds.length];
      }),
      context: { address_country: 'GB' },
    }),
  );

const look = async (
  bench: Bench,
  { shop, load }: Stocked,
  work: string,
  questions: readonly Question[],
  reach: number,
): Promise<Figure> => {
  const length = times(bench.isQuick);
  await load.run({ kind: 'questions', port: shop.port, questions });
  await slice({ load }, shop, 'look', AGENTS, { warmUpMs: length.firstMs, measureMs: 100 });
  const waited: number[] = [];
  const speeds: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++) {
    const { p95, perSecond } = await slice({ load }, shop, 'look', AGENTS, length);
    waited.push(p95);
    speeds.push(perSecond);
  }
  return {
    work: `${work}, ${AGENTS} agents: p95`,
    measured: `${spread(waited, milliseconds)} at ${spread(speeds, whole)} /s`,
    reach: `under ${reach} ms`,
    isReached: median(waited) < reach,
  };
};

/** How long it takes until a search finds a product by its new name. */
const findChanged = async ({ shop }: Stocked, turn: number): Promise<number> => {
  const name = `renamed${turn}`;
  await backoffice(shop.port).renameProduct(await anyProduct(shop.port), name);
  const from = performance.now();
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${shop.port}${catalogue}/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: name }),
    });
    const { products } = (await response.json()) as { readonly products: readonly unknown[] };
    const took = performance.now() - from;
    if (products.length === 1 || took > FOUND_MS) return took;
  }
};

/** Puts the products of a store into the log of a stopped shop, which imports some hundred in a second. */
const fillWithProducts =
  (bench: Bench, file: BenchStore['file']) =>
  async (dataDir: string): Promise<void> => {
    const storeFile = join(dataDir, 'products.json');
    writeFileSync(storeFile, JSON.stringify(file));
    const begun = performance.now();
    let told = 0;
    await runModule(null, './produce-products.ts', [dataDir, storeFile], (share) => {
      if (share - told < 0.25) return;
      told = share;
      bench.say(`agent-catalogue: ${percent(share)} of the products`);
    });
    bench.say(`agent-catalogue: the products are in the log, after ${seconds(performance.now() - begun)}`);
  };

/** What agents ask of a shop with many variants (docs/rules/agent-catalogue.md). */
export const measureAgentCatalogue = async (bench: Bench, variants: number): Promise<Figure[]> => {
  const store = catalogueStore(variants);
  const { productIds, file } = store;
  const without = { file: { ...file, products: [] }, productIds };
  const large = await stock(bench, 'agent-catalogue', without, {}, fillWithProducts(bench, file));
  const figures: Figure[] = [];
  const found = (figure: Figure): void => {
    figures.push(figure);
    bench.tell(figure);
  };
  try {
    const size = `${whole(variants)} variants`;
    found(await look(bench, large, `POST /catalog/search, ${size}`, searches, SEARCH_P95_MS));
    const ids = lookups(productIds);
    found(await look(bench, large, `POST /catalog/lookup of ${IDS} ids`, ids, LOOKUP_P95_MS));
    const took: number[] = [];
    for (let turn = 1; turn <= bench.runs; turn++) took.push(await findChanged(large, turn));
    found({
      work: 'a product that was renamed is found by its new name after',
      measured: spread(took, milliseconds),
      reach: `under ${whole(FOUND_MS)} ms`,
      isReached: Math.max(...took) < FOUND_MS,
    });
    const megabytes = searchMegabytes(variants);
    found({
      work: `memory of the search over ${size}`,
      measured: `${whole(megabytes)} MB`,
      reach: `at most ${INDEX_MEGABYTES} MB`,
      isReached: megabytes <= INDEX_MEGABYTES,
    });
    return figures;
  } finally {
    await large.stop();
  }
};
