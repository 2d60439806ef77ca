import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLists } from '../support/audit-lists.ts';
import { ShopProcess } from '../support/shop-process.ts';
import { variantId } from '../support/small-store.ts';
import {
  always,
  closing,
  crowdIn,
  open,
  PATIENCE_MS,
  settings,
  whileShopping,
  type MachineFault,
} from './fault.ts';

const filesOf = (shop: ShopProcess, name: string): readonly string[] =>
  readdirSync(shop.dataDir)
    .filter((file) => file === name || file.startsWith(`${name}-`))
    .map((file) => join(shop.dataDir, file));

export const noReadStore: MachineFault = {
  name: 'deleted read store',
  what: 'kill -9, and read.db is gone at the next start',
  missing: always,
  run: async (seconds) =>
    closing(await open(), (shop) =>
      whileShopping(shop, seconds, {
        begin: () => shop.kill(),
        end: async () => {
          for (const file of filesOf(shop, 'read.db')) rmSync(file);
          await shop.start();
        },
      }),
    ),
};

/** As if a release before had made the views: none of this one serves, and the first start fills them all. */
const ageViews = (shop: ShopProcess): void => {
  const store = new DatabaseSync(join(shop.dataDir, 'read.db'));
  const { changes } = store
    .prepare("UPDATE projections SET doc = json_set(doc, '$.version', json_extract(doc, '$.version') - 1)")
    .run();
  store.close();
  if (changes === 0) throw new Error('there are no views');
};

const KILLED_AFTER_MS = [150, 400, 650, 900, 1300];

export const olderRelease: MachineFault = {
  name: 'folder of the release before',
  what: 'views of another version; killed again and again in the first start',
  missing: always,
  run: async (seconds) =>
    closing(await open(), (shop) =>
      whileShopping(shop, seconds, {
        begin: async () => {
          await shop.kill();
          ageViews(shop);
          const first = await ShopProcess.on(shop.dataDir, settings);
          for (const ms of KILLED_AFTER_MS) {
            first.launch();
            await pause(ms);
            await first.kill();
          }
        },
        end: () => shop.start(),
      }),
    ),
};

/** The sandbox keeps its books in the state store: as a provider does, it knows of payments that the log has lost. */
const knownToTheProvider = /^(charge|refund) .* (was never captured|is not in the log)$/;

/** A write-ahead log without its second half lost sales too: what is left must be whole, and must be sold from. */
export const cutLog: MachineFault = {
  name: 'cut write-ahead log',
  what: 'kill -9, and half of events.db-wal is gone at the next start',
  missing: always,
  run: async () =>
    closing(await open(), async (shop) => {
      const crowd = crowdIn(shop);
      await crowd.shopDuring((unlessComplaint) => unlessComplaint(crowd.acknowledges(80)));
      await shop.kill();
      const wal = join(shop.dataDir, 'events.db-wal');
      truncateSync(wal, Math.floor(statSync(wal).size / 2));
      const startedAt = performance.now();
      shop.launch();
      await resumeDispatch(shop);
      await shop.ready();
      const resumedMs = performance.now() - startedAt;
      await shop.shopper().prepare(variantId('tea'));
      await shop.settle();
      const problems = [...(await auditLists(shop.admin)), ...(await shop.audit()).problems];
      // The state store kept what the log has lost, such as a charge: that is told, and is no fault of the start.
      return {
        acknowledged: crowd.acknowledged,
        resumedMs,
        problems: problems.filter((problem) => !knownToTheProvider.test(problem)),
      };
    }),
};

/** What receivers have heard of the part that is gone nobody knows: somebody has to say where to go on. */
const resumeDispatch = async (shop: ShopProcess): Promise<void> => {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const answer = await shop.tester.get('/health/ready').catch(() => null);
    if (answer?.status === 200) return;
    if (answer?.text.includes('dispatch resume')) {
      await shop.admin.post('/backoffice/api/v1/dispatch/resume', { from: 'now' });
      return;
    }
    await pause(50);
  }
};
