import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#runtime/back-off.ts';
import type { SyncedProduct } from '#ports/fulfilment-provider.ts';
import { applyLevels } from './apply-levels.ts';
import type { KnownConfigurations, SetUpProvider } from '../known-configuration.ts';
import type { SyncFigures, SyncLog, SyncLogs } from './sync-logs.ts';
import { syncStream } from './sync.stream.ts';

export interface SyncDeps extends Pick<CommandDeps, 'streams' | 'reference'> {
  readonly logs: SyncLogs;
  readonly known: KnownConfigurations;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** The result of a sync. Not announced if the provider said nothing, or there was nothing to send. */
interface Done extends SyncFigures {
  readonly errorMessage: string | null;
  readonly isAnnounced: boolean;
}

/** The most products in one call to a provider. */
const PRODUCTS_TOGETHER = 1000;

const nothing: SyncFigures = { itemsProcessed: 0, itemsSucceeded: 0, itemsFailed: 0 };
const failedWith = (errorMessage: string, figures: SyncFigures = nothing, isAnnounced = false): Done => ({
  ...figures,
  errorMessage,
  isAnnounced,
});

/** Every sellable variant that needs shipping. */
const productsOf = ({ reference }: Pick<SyncDeps, 'reference'>): SyncedProduct[] => {
  const products: SyncedProduct[] = [];
  for (const { root, variants } of reference.catalogue.products()) {
    if (root.isDigitalProduct) continue;
    for (const { id, sku, name, gtin, packages, canPurchase, availableForPurchase } of variants) {
      if (sku === '' || !canPurchase || !availableForPurchase) continue;
      const [first] = packages.length > 0 ? packages : root.defaultPackages;
      products.push({
        productId: id,
        sku,
        name: name ?? root.rootName,
        barcode: gtin,
        weightKg: first?.weight ?? null,
      });
    }
  }
  return products;
};

const syncProducts = async (deps: SyncDeps, { provider, settings }: SetUpProvider): Promise<Done> => {
  const products = productsOf(deps);
  if (products.length === 0) return { ...nothing, errorMessage: null, isAnnounced: false };
  let itemsSucceeded = 0;
  const failed: string[] = [];
  for (let from = 0; from < products.length; from += PRODUCTS_TOGETHER) {
    const some = products.slice(from, from + PRODUCTS_TOGETHER);
    const outcome = await provider.syncProducts?.(settings.configuration, some);
    if (outcome?.kind !== 'synced') {
      const itemsFailed = products.length - itemsSucceeded;
      const message = outcome?.message ?? 'it takes no products';
      return failedWith(message, { itemsProcessed: products.length, itemsSucceeded, itemsFailed }, true);
    }
    const refused = new Set(outcome.failedSkus);
    failed.push(...some.map(({ sku }) => sku).filter((sku) => refused.has(sku)));
    itemsSucceeded = from + some.length - failed.length;
  }
  const figures = { itemsProcessed: products.length, itemsSucceeded, itemsFailed: failed.length };
  return failed.length === 0
    ? { ...figures, errorMessage: null, isAnnounced: true }
    : failedWith(`not taken: ${failed.slice(0, 10).join(', ')}`, figures, true);
};

const syncInventory = async (
  deps: SyncDeps,
  { provider, settings, configurationId }: SetUpProvider,
  meta: CommandMeta,
): Promise<Done> => {
  const outcome = await provider.inventoryLevels?.(settings.configuration);
  if (outcome?.kind !== 'levels') return failedWith(outcome?.message ?? 'it tells no stock');
  const { position: _, ...figures } = await applyLevels(deps, configurationId, outcome.levels, meta);
  const message = `${figures.itemsFailed} level(s) could not be taken over`;
  return { ...figures, errorMessage: figures.itemsFailed > 0 ? message : null, isAnnounced: true };
};

/** Sends products to providers and reads their stock; each run is logged (docs/rules/fulfilment.md#syncs). */
export const createSyncs = (deps: SyncDeps) => {
  const { logs, known, streams, clock, log } = deps;
  const underWay = new Set<Promise<void>>();

  const announce = async (
    row: SyncLog,
    { providerKey }: { providerKey: string },
    done: Done,
    meta: CommandMeta,
  ) => {
    const { errorMessage: _, isAnnounced: __, ...figures } = done;
    const { syncType, providerConfigurationId: configurationId } = row;
    const completedAt = isoInstant(clock.now());
    const named = { syncType, configurationId, providerKey, completedAt };
    const command = { type: 'RecordSync', ...named, ...figures } as const;
    await streams.send(syncStream, row._id, command, meta);
  };

  const work = async (row: SyncLog, setUp: SetUpProvider, meta: CommandMeta): Promise<void> => {
    const stopRenewing = logs.keepLease(row);
    try {
      const done =
        row.syncType === 'ProductsOut'
          ? await syncProducts(deps, setUp)
          : await syncInventory(deps, setUp, meta);
      if (done.isAnnounced) await announce(row, setUp.settings, done, meta);
      const { isAnnounced: _, ...rest } = done;
      await logs.end(row, { ...rest, status: done.errorMessage === null ? 'Completed' : 'Failed' });
    } catch (err) {
      log.warn({ err, sync: row._id }, 'a sync with a fulfilment provider failed');
      await logs.end(row, { status: 'Failed', errorMessage: 'The shop could not finish it. Try again.' });
    } finally {
      stopRenewing();
    }
  };

  return {
    /** Begins a sync and returns its row. Errors: `entity-not-found`, `invalid-request`, `run-under-way`. */
    start: async (id: string, syncType: SyncLog['syncType'], meta: CommandMeta): Promise<SyncLog> => {
      const setUp = known.get(id);
      const { supportsProductSync, supportsInventorySync } = setUp.provider.description;
      if (!(syncType === 'ProductsOut' ? supportsProductSync : supportsInventorySync))
        throw new Rejection('invalid-request', 'This provider does not support that.');
      if (!setUp.settings.isEnabled) throw new Rejection('invalid-request', 'This provider is switched off.');
      const row = await logs.begin(id, syncType);
      const running = work(row, setUp, meta)
        .catch((err: unknown) => log.warn({ err, sync: row._id }, 'the end of a sync was not written down'))
        .finally(() => underWay.delete(running));
      underWay.add(running);
      return row;
    },
    list: logs.list,
    load: logs.load,
    /** False if a sync is still running after `timeoutMs` of real time. */
    idle: async (timeoutMs: number): Promise<boolean> => {
      const waiting = new AbortController();
      const over = pause(timeoutMs, waiting.signal);
      await Promise.race([Promise.all(underWay), over]);
      waiting.abort();
      return underWay.size === 0;
    },
  };
};

export type Syncs = ReturnType<typeof createSyncs>;
