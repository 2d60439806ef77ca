import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLists } from '../support/audit-lists.ts';
import { ShopProcess } from '../support/shop-process.ts';
import { variantId } from '../support/small-store.ts';
import { always, closing, open, settings, whileShopping, type MachineFault } from './fault.ts';

/** Asks for each of these sales; nobody may have forgotten one. */
const missingSales = async (shop: ShopProcess, invoiceIds: readonly string[]): Promise<readonly string[]> => {
  const problems: string[] = [];
  for (const id of invoiceIds) {
    const { status, body } = await shop.admin.get(`/backoffice/api/v1/orders/${id}`);
    if (status !== 200 || body.balanceDue !== 0)
      problems.push(`sale ${id} is not in the copy as it was: ${status}`);
  }
  return problems;
};

const keptOpen = async (folder: string, invoiceIds: readonly string[]): Promise<readonly string[]> =>
  closing(await ShopProcess.on(folder, settings), async (copy) => {
    await copy.start();
    await copy.settle();
    const problems = await missingSales(copy, invoiceIds);
    await copy.shopper().prepare(variantId('tea'));
    return [...problems, ...(await auditLists(copy.admin))];
  });

/** In the order of docs/guides/deployment.md#backup-and-restore: the state store, the log, the keys again. */
const copyHot = async (shop: ShopProcess): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-copy-'));
  const copy = async (from: string, to: string): Promise<void> => {
    const store = new DatabaseSync(join(shop.dataDir, from), { readOnly: true });
    store.exec(`VACUUM INTO '${join(folder, to)}'`);
    store.close();
    await pause(300);
  };
  await copy('state.db', 'state.db');
  await copy('events.db', 'events.db');
  await copy('state.db', 'keys.db');
  mkdirSync(join(folder, 'keys'));
  cpSync(join(shop.dataDir, 'keys'), join(folder, 'keys'), { recursive: true });
  const state = new DatabaseSync(join(folder, 'state.db'));
  const columns = 'id, position, removed, doc';
  state.exec(`
    ATTACH '${join(folder, 'keys.db')}' AS later;
    INSERT OR REPLACE INTO subjectKeys (${columns}) SELECT ${columns} FROM later.subjectKeys`);
  state.close();
  rmSync(join(folder, 'keys.db'));
  return folder;
};

export const hotCopy: MachineFault = {
  name: 'hot copy',
  what: 'copied as the documentation says while people shop; the copy is opened',
  missing: always,
  run: async (seconds) =>
    closing(await open(), async (shop) => {
      const told: string[] = [];
      let folder = '';
      const finding = await whileShopping(shop, seconds, {
        begin: async () => {
          const { items } = (
            await shop.admin.get('/backoffice/api/v1/orders?paymentStatus=Paid&pageSize=200')
          ).body;
          told.push(...items.map(({ id }: { id: string }) => id));
          folder = await copyHot(shop);
        },
        end: () => Promise.resolve(),
      });
      return { ...finding, problems: [...finding.problems, ...(await keptOpen(folder, told))] };
    }),
};
