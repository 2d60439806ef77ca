import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { DownloadShop, downloadFolder, linksOf, sellingFrom } from '#test/support/download-shop.ts';

const TEN = Array.from({ length: 10 });
const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).sort();
const threeOfTen = [...Array<number>(3).fill(200), ...Array<number>(7).fill(403)];

const isHadThreeTimes = async (files: Pick<DownloadShop, 'sell' | 'bought' | 'store'>): Promise<void> => {
  files.store('book.pdf', 'b'.repeat(300_000));
  const buyer = await files.bought(await files.sell({ maxDownloads: 3 }));
  const [{ downloadUrl }] = await linksOf(buyer);
  const answers = await Promise.all(TEN.map(() => buyer.customer.get(downloadUrl)));
  expect(statusesOf(answers)).to.deep.equal(threeOfTen);
  for (const { status, text } of answers) if (status === 200) expect(text).to.have.length(300_000);
  expect((await linksOf(buyer))[0]).to.include({ downloadCount: 3, remainingDownloads: 0 });
  // What broke off goes on, whichever process counted it, until it comes to twice the file.
  const parts = await Promise.all(TEN.map(() => buyer.customer.get(downloadUrl, { Range: 'bytes=100000-' })));
  expect(statusesOf(parts)).to.deep.equal([...Array<number>(3).fill(206), ...Array<number>(7).fill(403)]);
};

// docs/rules/downloads.md#counting
describe('A file that may be downloaded three times, asked for ten times at once', () => {
  it('is had three times from one process', async () => {
    const files = await DownloadShop.open();
    await isHadThreeTimes(files);
    await files.close();
  });

  it('is had three times from two, which share the folder', async () => {
    const dataDir = downloadFolder();
    const { open } = sharedMemory();
    const environment = sellingFrom(dataDir);
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 }, environment });
    const files = new DownloadShop(shop, dataDir);
    await isHadThreeTimes(files);
    await files.close();
  });
});
