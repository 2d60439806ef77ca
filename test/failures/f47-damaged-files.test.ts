import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Shopper } from '#test/support/shop.ts';
import { ShopProcess } from '#test/support/shop-process.ts';

const PAGE_BYTES = 4096;

/** Every page but the first is not what was written. */
const damage = (file: string): void => {
  const opened = openSync(file, 'r+');
  for (let at = PAGE_BYTES; at < statSync(file).size; at += PAGE_BYTES)
    writeSync(opened, randomBytes(PAGE_BYTES), 0, PAGE_BYTES, at);
  closeSync(opened);
};

describe('F47: damaged files', () => {
  let shop: ShopProcess;
  let mug: string;
  const shoppers: Shopper[] = [];
  before(async () => {
    shop = await ShopProcess.open();
    await shop.furnish();
    mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.add(mug, 2);
    shoppers.push(shopper);
    await shop.settle();
    await shop.stop();
  });
  after(() => shop.close());
  const fileOf = (name: string): string => join(shop.dataDir, name);

  const cases = [
    ['events.db', /put events\.db and state\.db back together from one backup/],
    ['state.db', /put events\.db and state\.db back together from one backup/],
    ['bus.db', /remove it: deliveries are found by their rows/],
    ['read.db', /remove it: the start fills it again from the log/],
  ] as const;
  for (const [name, remedy] of cases)
    it(`${name}: the start is refused, names it and says what to do, which helps`, async () => {
      const file = fileOf(name);
      const backup = readFileSync(file);
      damage(file);
      shop.launch();
      const refused = await shop.ready().then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      expect(refused).to.include(`${file} is damaged`).and.to.match(remedy);
      expect(refused).to.not.match(/\n\s+at /);
      rmSync(file);
      if (remedy.source.includes('backup')) writeFileSync(file, backup, { mode: 0o600 });
    });

  it('with what the messages say done, the shop sells on with all that it knew', async () => {
    await shop.start();
    await shop.settle();
    for (const shopper of shoppers) expect((await shopper.basket()).text).to.include(mug);
    expect((await shop.shopper().add(mug)).status).to.equal(200);
  });
});
