import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { productEvents } from '#events/catalogue.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { createProductSearch } from '#reference/search/product-search.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { streamOf } from '#values/stream-name.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is alive, numbers outside the heap with it. */
const megabytesAlive = (): number => {
  for (let pass = 0; pass < 3; pass++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
};

const words =
  'warm soft light plain bright strong small round heavy smooth woven dyed turned glazed fired'.split(' ');

/** Of a usual length, and not twice the same. */
const describe = (index: number): string =>
  Array.from(
    { length: 40 },
    (_, place) => `${words[(index * 7 + place * place) % words.length]}${(index + place) % 90}`,
  ).join(' ');

const created = (index: number): Recorded => {
  const sku = `BENCH-${index}`;
  const { root, variants } = productOnSale(sku, {
    price: 300 + (index % 9000),
    taxGroupId: null,
    isTracked: true,
  });
  const [first] = variants;
  const second = first && { ...first, id: derivedId('bench', `${sku}-L`), sku: `${sku}-L`, isDefault: false };
  const event = productEvents.create.ProductCreated({
    root: { ...root, rootName: `Benchmark product ${index}`, description: describe(index), tags: ['bench'] },
    variants: [first, second].filter((one) => one !== undefined),
    at: '2030-01-01T00:00:00.000Z',
  });
  const stream = streamOf.product(derivedId('bench root', index));
  // As the log would hand it over: no text is shared.
  return JSON.parse(JSON.stringify({ ...event, stream, position: index + 1 })) as Recorded;
};

/** What the search over so many variants takes in memory, beside the products themselves. */
export const searchMegabytes = (variants: number): number => {
  const reference = createReference();
  for (let index = 0; index < variants / 2; index++) {
    const event = created(index);
    for (const part of reference.parts) applyEvent(part, event);
  }
  const before = megabytesAlive();
  const search = createProductSearch(reference);
  const after = megabytesAlive();
  if (search.find({ search: 'benchmark', sort: 'relevance', skip: 0, limit: 1 }).totalItems === 0)
    throw new Error('the search finds nothing');
  return after - before;
};
