import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const MUG = variantId('mug');

describe('F48: files of the data folder that are removed', () => {
  let shop: ShopProcess;
  beforeEach(async () => {
    shop = await ShopProcess.open({ storeFile: smallStore({ stock: { mug: 50 } }) });
  });
  afterEach(() => shop.close());

  const filesOf = (name: string): readonly string[] =>
    readdirSync(shop.dataDir).filter((file) => file === name || file.startsWith(`${name}-`));
  const remove = (...names: readonly string[]): void => {
    for (const file of names.flatMap(filesOf)) rmSync(join(shop.dataDir, file));
  };
  const buys = async (): Promise<readonly (number | string)[]> => {
    const shopper = shop.shopper();
    const added = await shopper.add(MUG);
    if (added.status !== 200) return [added.status];
    const isReady = await shopper.prepare(MUG, 1).then(
      () => true,
      () => false,
    );
    if (!isReady) return ['refused'];
    const paid = await shopper.payWith((await shopper.pay()).body.invoiceId);
    return [paid.status, paid.body.status];
  };

  for (const removed of ['events.db', 'state.db'] as const)
    it(`sells nothing into ${removed} that was removed while it runs, and says so`, async () => {
      expect(await buys()).to.deep.equal([200, 'Completed']);
      remove(removed);
      const bought = await buys();
      expect(bought.at(-1), 'not acknowledged').to.not.equal('Completed');
      const { status, body } = await shop.admin.get('/health/ready');
      expect(status).to.equal(503);
      expect(JSON.stringify(body.reasons))
        .to.contain(`${removed} `)
        .and.match(/removed or replaced|deleted or replaced/);
    });

  it('sells nothing where only the write-ahead log was removed', async () => {
    expect(await buys()).to.deep.equal([200, 'Completed']);
    rmSync(join(shop.dataDir, 'events.db-wal'));
    expect(await buys()).to.deep.equal([503]);
  });

  it('is no start where one half is gone: log or state store', async () => {
    expect(await buys()).to.deep.equal([200, 'Completed']);
    await shop.stop();
    for (const [removed, says] of [
      ['events.db', /^tillroll: The event log is empty, .*from one backup/m],
      ['state.db', /^tillroll: The state store is empty, .*from one backup/m],
    ] as const) {
      const kept = filesOf(removed);
      for (const file of kept) renameSync(join(shop.dataDir, file), join(shop.dataDir, `kept.${file}`));
      for (const attempt of ['first', 'second']) {
        expect(await shop.start().catch((reason: unknown) => reason), attempt).to.be.instanceOf(Error);
        expect(shop.printed, attempt).to.match(says);
      }
      remove(removed);
      for (const file of kept) renameSync(join(shop.dataDir, `kept.${file}`), join(shop.dataDir, file));
    }
    await shop.start();
    expect(await buys()).to.deep.equal([200, 'Completed']);
    expect((await shop.audit()).problems).to.deep.equal([]);
  });
});
