import { expect } from 'chai';
import { DownloadShop, downloadFolder, linksOf, sellingFrom } from '#test/support/download-shop.ts';
import { MortalShop, type RowDeath } from '#test/support/mortal-shop.ts';
import type { Death } from '#test/support/shop-process.ts';

/** Around the payment with its links, and on the way to the mail. */
const deaths: readonly (Death | RowDeath)[] = [
  { when: 'before', eventType: 'DownloadLinksCreated' },
  { when: 'after', eventType: 'DownloadLinksCreated' },
  { when: 'before', rowIn: 'mailDeliveries' },
  { when: 'after', rowIn: 'mailDeliveries' },
  { when: 'before', eventType: 'DownloadLinksMailed' },
  { when: 'after', eventType: 'DownloadLinksMailed' },
];
const named = (death: Death | RowDeath) =>
  `${death.when} ${'rowIn' in death ? `the row in ${death.rowIn}` : death.eventType}`;

// docs/rules/downloads.md
describe('A shop that is killed while it sells files', () => {
  let shop: MortalShop;
  let files: DownloadShop<MortalShop>;
  let product: string;
  beforeEach(async () => {
    const dataDir = downloadFolder();
    shop = await MortalShop.open(sellingFrom(dataDir));
    files = new DownloadShop(shop, dataDir);
    files.store('book.pdf', 'The whole book.');
    product = await files.sell({ maxDownloads: 3 });
  });
  afterEach(() => files.close());

  for (const death of deaths) {
    it(`${named(death)}, has one link, one mail and one charge`, async () => {
      const { customer, email, invoiceId } = await files.atTheTill(product);
      await shop.live(death);
      await shop.dieAfter(customer.payWith(invoiceId));
      await shop.live();
      await shop.settle();
      const links = await linksOf({ customer, invoiceId });
      expect(links).to.have.length(1);
      expect((await customer.get(links[0].downloadUrl)).text).to.equal('The whole book.');
      const mails = (await files.mails()).filter(({ subject }) => subject.startsWith('Your downloads'));
      expect(mails.map(({ to }) => to)).to.deep.equal([email]);
      expect(await shop.charges()).to.have.length(1);
      expect((await shop.audit()).problems).to.deep.equal([]);
    });
  }

  it('between the count and the first byte, has counted, and the download goes on as a part of it', async () => {
    const { customer, invoiceId } = await files.bought(product);
    const [{ downloadUrl }] = await linksOf({ customer, invoiceId });
    await shop.live({ when: 'after', rowIn: 'downloadCounts' });
    await shop.dieAfter(customer.get(downloadUrl));
    await shop.live();
    const [link] = await linksOf({ customer, invoiceId });
    expect(link).to.include({ downloadCount: 1, remainingDownloads: 2 });
    const rest = await customer.get(downloadUrl, { Range: 'bytes=4-' });
    expect([rest.status, rest.text]).to.deep.equal([206, 'whole book.']);
    expect((await linksOf({ customer, invoiceId }))[0].downloadCount).to.equal(1);
  });

  it('before it has counted, has counted nothing', async () => {
    const { customer, invoiceId } = await files.bought(product);
    const [{ downloadUrl }] = await linksOf({ customer, invoiceId });
    await shop.live({ when: 'before', rowIn: 'downloadCounts' });
    await shop.dieAfter(customer.get(downloadUrl));
    await shop.live();
    expect((await linksOf({ customer, invoiceId }))[0].downloadCount).to.equal(0);
  });

  it('while staff make links again, has the new ones and one more mail', async () => {
    const { customer, invoiceId } = await files.bought(product);
    await shop.live({ when: 'after', eventType: 'DownloadLinksCreated' });
    const path = `/backoffice/api/v1/orders/${invoiceId}/downloads/regenerate`;
    await shop.dieAfter(shop.admin.post(path, {}));
    await shop.live();
    await shop.settle();
    const links = await linksOf({ customer, invoiceId });
    expect(links).to.have.length(1);
    expect((await customer.get(links[0].downloadUrl)).status).to.equal(200);
    const mails = (await files.mails()).filter(({ subject }) => subject.startsWith('Your downloads'));
    expect(mails).to.have.length(2);
  });
});
