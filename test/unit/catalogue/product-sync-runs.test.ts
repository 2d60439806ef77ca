import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createProductSyncActions } from '#command/contexts/catalogue/csv/product-sync.actions.ts';
import { createSyncRuns } from '#command/contexts/catalogue/csv/product-sync-runs.ts';
import type { ProductActions } from '#command/contexts/catalogue/product.actions.ts';
import { fault } from '#command/contexts/catalogue/csv/product-csv.ts';
import { runUnderLease } from '#command/engine/run-alone.ts';
import { newId } from '#kernel/ids.ts';
import { createReference } from '#reference/create-reference.ts';
import { createLeases } from '#runtime/leases.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { shopClock, silentLog } from '#test/support/plain-log.ts';

const DAY_MS = 86_400_000;
const file = 'Handle,Title,Variant SKU,Variant Price\nmug,Mug,MUG,5\ncup,Cup,CUP,4\n';
const asked = { profile: 'strict', startedBy: null } as const;

/** docs/guides/product-csv.md#runs */
describe('an import of products', () => {
  let stateStore: ReturnType<typeof createMemoryDocumentStore>;
  let now: number;
  let created: string[];

  beforeEach(async () => {
    stateStore = createMemoryDocumentStore();
    now = Date.parse('2026-03-01T12:00:00.000Z');
    created = [];
    await createSyncRuns(stateStore, shopClock).declare();
  });

  /** One process of the shop. `hold`: what it waits for before it creates a product. */
  const processOf = (hold: () => Promise<void>) => {
    const runs = createSyncRuns(stateStore, { now: () => now });
    const leases = createLeases({ stateStore, instanceId: newId(), isOnlyWriter: false, now: () => now });
    const products = {
      load: async () => null,
      create: async (id: string) => {
        await hold();
        created.push(id);
        return { product: { id, variants: [] }, position: created.length, hasChanged: true };
      },
    };
    return {
      runs,
      ...createProductSyncActions({
        runs,
        products: products as unknown as ProductActions,
        types: { create: () => Promise.reject(new Error('no product type is created here')) },
        reference: createReference(),
        settings: () => defaultStoreSettings,
        runAlone: runUnderLease(leases),
        reach: () => Promise.resolve(),
        log: silentLog,
      }),
    };
  };

  it('is finished by another process when the first one stalls, which then changes nothing', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: stalled, resolve: stall } = Promise.withResolvers<void>();
    const first = processOf(() => {
      stall();
      return held;
    });
    const second = processOf(() => Promise.resolve());
    const { _id } = await first.startImport(asked, false, file);
    await stalled;
    expect(await second.goOn(), 'while the first one may still be at it').to.equal(false);

    now += 11_000;
    expect(await second.goOn()).to.equal(true);
    const finished = await second.load(_id);
    expect(finished).to.deep.include({ status: 'Completed', attempt: 2, created: 2, done: 2, total: 2 });

    release();
    await first.goOn();
    expect(await second.load(_id)).to.deep.equal(finished);
    // The late one met the ids of the other: they follow from the run.
    expect(new Set(created).size).to.equal(2);
  });

  it('is given up after five interrupted attempts, and the next one can begin', async () => {
    const { runs, goOn, load, startImport, stop } = processOf(() => Promise.resolve());
    let run = await runs.begin({ kind: 'import', ...asked, isDryRun: false }, file);
    for (let attempt = 1; attempt <= 5; attempt++) run = (await runs.takeOn(run)) ?? run;
    expect(await goOn()).to.equal(true);
    expect(await load(run._id)).to.include({
      status: 'Failed',
      message: 'Given up: it was interrupted 5 times. Rows done: 0.',
    });
    expect(created).to.deep.equal([]);
    expect((await startImport(asked, true, file)).status).to.equal('Queued');
    await stop();
  });

  it('is deleted after 90 days with its issues, its file after 30, but never while it runs', async () => {
    const { runs } = processOf(() => Promise.resolve());
    const done = async () => {
      const { _id } = await runs.begin({ kind: 'import', ...asked, isDryRun: true }, file);
      const run = await runs.takeOn((await runs.load(_id)) ?? expect.fail());
      await runs.issues.keep(_id, [fault('some', 'Something', 2, 'Handle')], 0);
      await runs.finish(run ?? expect.fail(), 'Completed', 'Done.');
      return _id;
    };
    const partsOf = async (id: string) => (await runs.load(id))?.parts;
    const begun = now;
    const oldest = await done();
    now = begun + 65 * DAY_MS;
    const older = await done();
    const underWay = await runs.begin({ kind: 'import', ...asked, isDryRun: true }, file);

    now = begun + 91 * DAY_MS;
    expect(await runs.purge(now)).to.deep.equal({ runs: 1, files: 0 });
    expect(await runs.load(oldest)).to.equal(null);
    expect((await runs.issues.page(oldest, { page: 1, pageSize: 10 })).total).to.equal(0);
    expect(await partsOf(older), 'after 26 days').to.equal(1);

    now = begun + 96 * DAY_MS;
    expect(await runs.purge(now)).to.deep.equal({ runs: 0, files: 1 });
    expect(await partsOf(older)).to.equal(0);
    expect((await runs.issues.page(older, { page: 1, pageSize: 10 })).total).to.equal(1);
    expect(await stateStore.count('product_sync_files')).to.equal(1);
    expect(await partsOf(underWay._id)).to.equal(1);
    expect(await runs.purge(now), 'nothing is left to do').to.deep.equal({ runs: 0, files: 0 });
  });
});
