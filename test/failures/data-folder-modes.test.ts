import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';

describe('another user of the machine', () => {
  let shop: ShopProcess | null = null;
  afterEach(async () => {
    await shop?.close();
    shop = null;
  });

  const files = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));

  /** What others may do with what is in the data folder. */
  const openFiles = (folder: string): readonly string[] =>
    files(folder).filter((file) => (statSync(file).mode & 0o077) !== 0);

  it('reads nothing of a data folder, a new one or one of an earlier release', async () => {
    shop = await ShopProcess.open({ env: { STORE_FILE: 'none' } });
    const { dataDir } = shop;
    expect(files(dataDir).some((file) => file.endsWith('-wal'))).to.equal(true);
    expect(openFiles(dataDir)).to.deep.equal([]);

    await shop.kill();
    for (const file of files(dataDir)) chmodSync(file, 0o644);
    chmodSync(dataDir, 0o755);
    await shop.start();
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
    expect(openFiles(dataDir)).to.deep.equal([]);
  });
});
