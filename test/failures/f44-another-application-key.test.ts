import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const MUG = variantId('mug');

describe('F44: a start with another application key', () => {
  let shop: ShopProcess;
  let invoiceId: string;
  let keyFile: string;
  beforeEach(async () => {
    shop = await ShopProcess.open({ storeFile: smallStore({ stock: { mug: 5 } }) });
    keyFile = join(shop.dataDir, 'keys', 'application.key');
    const shopper = shop.shopper();
    await shopper.prepare(MUG, 1);
    invoiceId = (await shopper.pay()).body.invoiceId;
    expect((await shopper.payWith(invoiceId)).body.status).to.equal('Completed');
    await shop.settle();
    await shop.stop();
  });
  afterEach(() => shop.close());

  const refused = async (): Promise<string> => {
    const error = await shop.start().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error);
    return shop.printed;
  };

  /** Given the right key once more, all is as it was. */
  const goesOn = async (): Promise<void> => {
    await shop.start();
    const order = `/backoffice/api/v1/orders/${invoiceId}`;
    expect((await shop.admin.get(order)).body.billingAddress).to.include({ name: 'Ada Lovelace' });
    expect((await shop.admin.post(`${order}/cancel`, { reason: 'test' })).status).to.equal(200);
    expect((await shop.audit()).problems).to.deep.equal([]);
  };

  it('is no start, says what to do, and changes nothing', async () => {
    const key = readFileSync(keyFile);
    writeFileSync(keyFile, `${Buffer.alloc(32, 9).toString('base64')}\n`);
    expect(await refused()).to.match(/^tillroll: This is not the application key .*put its file back/m);
    writeFileSync(keyFile, key);
    await goesOn();
  });

  it('is none either where keys/ is gone, and no key is made up', async () => {
    const keys = join(shop.dataDir, 'keys');
    renameSync(keys, `${keys}.away`);
    expect(await refused()).to.match(/^tillroll: .*application\.key is missing.*set APPLICATION_KEY/m);
    rmSync(keys, { recursive: true, force: true });
    renameSync(`${keys}.away`, keys);
    await goesOn();
  });
});
