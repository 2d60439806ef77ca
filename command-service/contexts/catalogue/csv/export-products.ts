import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { Reference } from '#reference/reference.ts';
import { writeProducts } from './csv-process.ts';
import type { ProductActions } from '../product.actions.ts';
import type { SyncRuns } from './product-sync-runs.ts';
import type { RunWork } from './work-on-run.ts';
import { leftOut, type ExportedProduct } from './write-product-rows.ts';

/** This many products are read side by side. */
const AT_ONCE = 50;
/** Characters that are written down together. */
const WRITTEN_TOGETHER = 400_000;

export interface ExportDeps extends Pick<CommandDeps, 'reference' | 'settings'> {
  readonly runs: SyncRuns;
  readonly products: ProductActions;
}

const levelsOf = ({ stock }: Pick<Reference, 'stock'>, variants: readonly ProductVariant[]) =>
  variants.flatMap(({ id, stockRows }) =>
    stockRows.flatMap(({ warehouseId }) => {
      const level = stock.level(id, warehouseId);
      return level ? [[id, warehouseId, level] as const] : [];
    }),
  );

/** The product at an address with all its texts; nothing where it has gone since. */
const exported = async (
  { products, reference }: ExportDeps,
  handle: string,
): Promise<readonly ExportedProduct[]> => {
  const found = reference.catalogue.productAt(handle);
  const known = found && (await products.load(found.id));
  if (!found || !known) return [];
  const type = reference.entities.find('productType', known.root.productTypeId);
  const product = { ...known, id: found.id, variants: [...known.variants] };
  return [{ product, typeName: String(type?.name ?? ''), levels: levelsOf(reference, known.variants) }];
};

/** Writes all products into the file of the run, by handle (docs/guides/product-csv.md#exporting). */
export const exportProducts = async (deps: ExportDeps, work: RunWork): Promise<void> => {
  const { runs, reference, settings } = deps;
  const { run } = work;
  await runs.files.forget(run._id);
  let parts = 0;
  let text = '';
  const write = async (atLeast: number): Promise<void> => {
    if (text.length < atLeast || text === '') return;
    parts = await runs.files.append(run._id, text, parts);
    text = '';
  };
  const request = { profile: run.profile, currency: settings().storeCurrencyCode };
  const handles = Array.from(reference.catalogue.products(), ({ root }) => root.rootUrl);
  await writeProducts(request, handles, async (sorted, rowsOf) => {
    text += await rowsOf([]);
    for (let from = 0; from < sorted.length; from += AT_ONCE) {
      const slice = sorted.slice(from, from + AT_ONCE);
      const found = (await Promise.all(slice.map((handle) => exported(deps, handle)))).flat();
      text += await rowsOf(found);
      if (run.profile === 'strict') await work.report(found.flatMap(leftOut));
      work.count(
        'done',
        found.reduce((sum, { product }) => sum + product.variants.length, 0),
      );
      await write(WRITTEN_TOGETHER);
      await work.step();
    }
  });
  await write(0);
  const total = work.figure('done');
  await runs.finish(run, 'Completed', 'Everything was exported.', { ...work.figures(), parts, total });
};
