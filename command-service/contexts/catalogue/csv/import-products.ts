import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { EntityActions } from '#command/engine/entity.actions.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductType } from '#entities/product-type.entity.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { inParallel } from '#runtime/work-off.ts';
import {
  createNamedTypes,
  issuesOfDraft,
  resolveDraft,
  type NamedType,
  type NamedTypes,
  type ResolvedDraft,
} from './check-draft.ts';
import { readProducts } from './csv-process.ts';
import { fault, vendorCell, warning, type CsvIssue } from './product-csv.ts';
import type { ProductDraft, ReadProduct } from './product-draft.ts';
import type { NewProduct, ProductGiven } from '../product-input.ts';
import type { ProductActions, SavedProduct } from '../product.actions.ts';
import type { KnownProduct } from '../product.state.ts';
import type { SyncRun, SyncRuns } from './product-sync-runs.ts';
import type { RunWork } from './work-on-run.ts';

/** Products with about this many rows are saved side by side: they share the waits for the disk … */
const ROWS_AT_ONCE = 100;
/** … and at most this many products: shoppers hardly notice them. */
const PRODUCTS_AT_ONCE = 64;

export interface ImportDeps extends Pick<CommandDeps, 'reference' | 'settings'> {
  readonly runs: SyncRuns;
  readonly products: ProductActions;
  readonly types: Pick<EntityActions<ProductType>, 'create'>;
}

interface Import extends ImportDeps {
  readonly work: RunWork;
  readonly meta: CommandMeta;
  readonly typeOf: NamedTypes;
}

const metaOf = ({ _id, startedBy }: SyncRun): CommandMeta => ({
  correlationId: _id,
  causationId: _id,
  actor: { kind: 'backoffice', id: startedBy },
});

const eachProduct = (
  { runs, work: { run }, settings }: Import,
  take: (products: readonly ReadProduct[]) => Promise<void>,
): Promise<void> =>
  readProducts(
    { profile: run.profile, currency: settings().storeCurrencyCode },
    runs.files.partsIn(run._id, run.parts),
    take,
  );

/** Reads the whole file and tells everything that is wrong with it; nothing is written to the log. */
const check = async (all: Import): Promise<void> => {
  const { work, reference, settings, typeOf } = all;
  const meant = new Set<string>();
  await eachProduct(all, async (products) => {
    const issues = products.flatMap((product): readonly CsvIssue[] => {
      const { draft } = product;
      if (!draft) return product.issues;
      const resolved = resolveDraft(draft, reference, typeOf);
      const { known } = resolved;
      const isRepeated = known !== null && meant.size === meant.add(known.id).size;
      const twice = `must be ${known?.root.rootName} once, which other rows mean by its handle or a SKU`;
      const repeated = isRepeated ? [fault('product-meant-twice', twice, draft.line, 'Handle')] : [];
      return [...product.issues, ...repeated, ...issuesOfDraft(resolved, reference, settings())];
    });
    await work.report(issues);
    work.count(
      'done',
      products.reduce((sum, { rows }) => sum + rows, 0),
    );
    await work.step();
  });
};

const ensureType = async ({ types, meta }: Import, type: NamedType): Promise<void> => {
  if (!type.isNew) return;
  try {
    await types.create(type.id, { name: type.name, alias: type.alias }, meta);
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== 'already-exists') throw error;
  }
};

/** Vendors are kept with what the shop itself does not know. */
const withVendor = (
  { vendor, given }: ProductDraft,
  known: KnownProduct | null,
): Pick<ProductGiven, 'extendedData'> => {
  if (vendor === undefined) return {};
  const before = given.extendedData ?? known?.root.extendedData ?? {};
  if (vendorCell(before).trim() === (vendor ?? '')) return {};
  const { vendor: _, ...others } = before;
  return { extendedData: vendor === null ? others : { ...others, vendor } };
};

type Outcome = Pick<SavedProduct, 'position' | 'hasChanged'> & { readonly isNew: boolean };

const save = async (
  { products, meta, work }: Import,
  { draft, known: sold, given }: ResolvedDraft,
): Promise<{ readonly saved: SavedProduct; readonly isNew: boolean }> => {
  const id = sold?.id ?? derivedId('product', work.run._id, draft.handle);
  // Reference state may lag behind what an earlier attempt has created.
  const isFresh = !sold && work.run.attempt === 1;
  const known = isFresh ? null : await products.load(id);
  const body = { ...given, ...withVendor(draft, known) };
  const idOf = (sku: string): string => derivedId('variant', id, work.run._id, sku);
  const saved = known
    ? await products.change(id, body, meta, idOf, { stockReason: 'import' })
    : await products.create(id, body as unknown as NewProduct, meta, idOf, {
        isFresh,
        stockReason: 'import',
      });
  const ids = new Set(saved.product.variants.map((variant) => variant.id));
  work.count('variantsRemoved', known?.variants.filter((variant) => !ids.has(variant.id)).length ?? 0);
  return { saved, isNew: !known };
};

/** Takes away the variants that the file leaves out; those with reserved units stay. */
const removeLeftOut = async (
  { products, meta, work }: Import,
  { draft, given }: ResolvedDraft,
  { product }: SavedProduct,
): Promise<number> => {
  const named = new Set(given.variants.map(({ sku }) => sku));
  let position = 0;
  for (const { id, sku } of product.variants.filter((variant) => !named.has(variant.sku))) {
    try {
      position = await products.removeVariant(product.id, id, meta);
      work.count('variantsRemoved');
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      if (error.code === 'still-used')
        await work.report([
          warning('variant-kept', `${sku} is kept, as units of it are reserved`, draft.line, 'Variant SKU'),
        ]);
      else if (error.code !== 'entity-not-found') throw error;
    }
  }
  return position;
};

const importOne = async (all: Import, draft: ProductDraft): Promise<Outcome> => {
  const resolved = resolveDraft(draft, all.reference, all.typeOf);
  if (resolved.type) await ensureType(all, resolved.type);
  const { saved, isNew } = await save(all, resolved);
  const removedAt = await removeLeftOut(all, resolved, saved);
  return {
    isNew,
    hasChanged: saved.hasChanged || removedAt > 0,
    position: Math.max(saved.position, removedAt),
  };
};

/** What was fine when the file was checked may be refused now: another change came first, or a hook objects. */
const tryOne = async (all: Import, draft: ProductDraft): Promise<void> => {
  const { work } = all;
  try {
    const { isNew, hasChanged, position } = await importOne(all, draft);
    work.count(isNew ? 'created' : hasChanged ? 'changed' : 'unchanged');
    work.reached(position);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const { errors = [] } = error.details as { readonly errors?: readonly string[] };
    const message = [`${draft.handle} was not imported`, error.message, ...errors].join(': ');
    await work.report([fault('not-imported', message, draft.line, 'Handle')]);
  }
};

interface Slice {
  /** Work on its last product has begun, and some of those who work are free. */
  readonly taken: Promise<void>;
  /** Nothing of it is under way any more. Errors: the first one; what had not been begun by then is left. */
  readonly through: Promise<void>;
}

/** Saves the products of a slice side by side. */
const importSlice = (all: Import, drafts: readonly ProductDraft[]): Slice => {
  const { promise: taken, resolve } = Promise.withResolvers<void>();
  const eachDraft = function* () {
    yield* drafts;
    resolve();
  };
  const rows = drafts.reduce((sum, draft) => sum + draft.rows, 0);
  const width = Math.min(PRODUCTS_AT_ONCE, Math.ceil((ROWS_AT_ONCE * drafts.length) / Math.max(1, rows)));
  const through = inParallel(eachDraft(), width, (draft) => tryOne(all, draft)).finally(resolve);
  // Waited for later.
  through.catch(() => undefined);
  return { taken, through };
};

const carryOut = async (all: Import): Promise<void> => {
  const { work } = all;
  const begun = work.figure('done');
  let rows = 0;
  let last: Slice & { readonly upTo: number } = {
    taken: Promise.resolve(),
    through: Promise.resolve(),
    upTo: begun,
  };
  const finishLast = async (): Promise<void> => {
    await last.through;
    work.count('done', last.upTo - work.figure('done'));
  };
  try {
    await eachProduct(all, async (products) => {
      rows += products.reduce((sum, product) => sum + product.rows, 0);
      // An earlier attempt has written down that it was through with these.
      if (rows <= begun) return;
      const drafts = products.flatMap(({ draft }) => draft ?? []);
      const slice = { ...importSlice(all, drafts), upTo: rows };
      // The end of one slice and the beginning of the next are processed together, so that neither waits.
      await slice.taken;
      await finishLast().finally(() => (last = slice));
      await work.step();
    });
  } finally {
    await last.through.catch(() => undefined);
  }
  await finishLast();
};

const endOf = (work: RunWork, isDryRun: boolean): readonly ['Completed' | 'Failed', string] => {
  const errors = work.figure('errorCount');
  if (isDryRun)
    return [
      'Completed',
      errors > 0 ? `Nothing would be imported: ${errors} errors.` : 'The file can be imported.',
    ];
  if (errors > 0 && !work.run.isChecked) return ['Failed', `Nothing was imported: ${errors} errors.`];
  if (errors > 0) return ['Failed', `All was imported but ${errors} products, which the issues name.`];
  return ['Completed', 'Everything was imported.'];
};

/**
 * Imports a file, or says what is wrong with it (docs/guides/product-csv.md#importing). Checked as a whole first. An
 * attempt that was cut short is taken up where it was: what is there already is met under its own ids and not changed
 * again.
 */
export const importProducts = async (
  deps: ImportDeps,
  begun: RunWork,
  workOn: (run: SyncRun) => RunWork,
): Promise<void> => {
  const { runs } = deps;
  const importing = (work: RunWork): Import => ({
    ...deps,
    work,
    meta: metaOf(work.run),
    typeOf: createNamedTypes(deps.reference),
  });
  let work = begun;
  const { run } = work;
  if (!run.isChecked) {
    await runs.issues.forget(run._id);
    await check(importing(work));
    const total = work.figure('done');
    const isOver = run.isDryRun || work.figure('errorCount') > 0;
    if (isOver) return runs.finish(run, ...endOf(work, run.isDryRun), { ...work.figures(), total });
    await work.step({ isChecked: true, total, done: 0 });
    work = workOn({ ...run, ...work.figures(), isChecked: true, total, done: 0 });
  }
  await carryOut(importing(work));
  await runs.finish(work.run, ...endOf(work, false), work.figures());
};
