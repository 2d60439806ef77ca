import { readFileSync } from 'node:fs';
import { createdRoot } from '#command/contexts/catalogue/product-input.ts';
import { productReferences } from '#command/contexts/catalogue/product-store-list.ts';
import { productDecider } from '#command/contexts/catalogue/product.decider.ts';
import { variantsOfNew } from '#command/contexts/catalogue/variants/requested-variants.ts';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import {
  collectKeys,
  resolveKeys,
  variantIds,
  withoutVariantIds,
} from '#command/contexts/store/resolve-keys.ts';
import { createProduct } from '#contracts/catalogue.contract.ts';
import { storeFile, type StoreEntry } from '#contracts/store-file.contract.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { stockId } from '#values/stock-id.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { openStoppedLog } from './stopped-log.ts';

/*
 * Appends the products of a store file, each with its stock, to the log of a stopped shop that has imported the rest of
 * the file: the events of an import, from the same rules, but for the claims of addresses and skus.
 * `node produce-products.ts <data folder> <store file>`; APPLICATION_KEY is the shop's.
 */

const [, , dataDir = '', file = ''] = process.argv;

const actor = { kind: 'system', id: null } as const;
const at = new Date().toISOString();

const text = JSON.parse(readFileSync(file, 'utf8')) as unknown;
const parsed = storeFile.parse(text);
const products = parsed.lists['products'] ?? [];
const problems: string[] = [];
const keys = collectKeys(parsed, productReferences, problems);
const body = createProduct(() => 'GBP');

const productOf = (entry: StoreEntry, path: string) => {
  const id = derivedId('products', entry.key);
  const given = body.parse(withoutVariantIds(resolveKeys(entry, keys, path, problems)));
  const { rootUrl = '', productTypeId } = given;
  const root = createdRoot(id, given, rootUrl, productTypeId ?? '');
  const ids = variantIds(entry);
  const requested = variantsOfNew(given, root, (sku) => ids.get(sku) ?? derivedId('variants', sku));
  const events = productDecider.decide(
    productDecider.initial(),
    { ...requested, type: 'CreateProduct', root, abandonedBefore: 0 },
    { at, unknown: () => [], limits: defaultStoreSettings, reserved: () => 0 },
  );
  return { id, events, ...requested };
};

type Requested = Pick<ReturnType<typeof productOf>, 'variants' | 'rows'>;

/** The streams of its stock, by their names. */
const stockOf = ({ variants, rows }: Requested): readonly (readonly [string, readonly DomainEvent[]])[] =>
  variants.flatMap(({ newId: productId, fields: { sku = '' } }, place) =>
    (rows[place] ?? []).map((row) => [
      streamOf.stock(stockId(productId, row.warehouseId)),
      stockDecider.decide(
        stockDecider.initial(),
        { ...row, type: 'SaveStockRow', productId, sku, reason: 'import' },
        { now: at, lowStockThreshold: 0, passesOnDefault: () => null },
      ),
    ]),
  );

const produce = async (): Promise<{ readonly products: number }> => {
  const log = await openStoppedLog(dataDir);
  await log.fill(products.length, async (index) => {
    const entry = products[index];
    if (!entry) return;
    const { id, events, ...requested } = productOf(entry, `products.${index}`);
    const streams = [[streamOf.product(id), events] as const, ...stockOf(requested)];
    await Promise.all(streams.map(([stream, first]) => log.begin(stream, first, actor)));
  });
  await log.close();
  if (problems.length > 0) throw new Error(problems.slice(0, 10).join('\n'));
  return { products: products.length };
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
