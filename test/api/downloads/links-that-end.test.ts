import { expect } from 'chai';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from '#test/support/browser.ts';
import { DownloadShop, downloadsBase, linksOf, type Buyer } from '#test/support/download-shop.ts';
import { heard } from '#test/support/owners-hooks.ts';
import { keyed, manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { startReceiver } from '#test/support/subscriber.ts';

const hooksFile = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
const gone = [404, 'Download link has expired'];
const invalid = [404, 'Invalid download token'];

// docs/rules/downloads.md
describe('links to what was bought', () => {
  let files: DownloadShop;

  before(async () => {
    files = await DownloadShop.open({
      environment: {
        HOOKS_FILE: hooksFile,
        ALLOW_LOOPBACK_TARGETS: 'true',
        Store__name: 'Files & Co',
        Downloads__RequestsPerMinute: '12',
      },
    });
    files.store('book.pdf', 'The whole book.');
  });
  after(() => files.close());

  const staff = async (request: Request, status = 200) => {
    const answer = await files.shop.admin.ask(request);
    expect(answer.status, answer.text).to.equal(status);
    return answer.body;
  };
  const got = async ({ customer }: Pick<Buyer, 'customer'>, url: string) => {
    const { status, body } = await customer.get(url);
    return [status, body.error ?? body];
  };
  const urlOf = async (buyer: Buyer): Promise<string> => (await linksOf(buyer))[0].downloadUrl;
  const payOut = async ({ invoiceId }: Buyer, changes: object = {}) => {
    await files.shop.settle();
    const { items } = await staff(manage.get(`/invoices/${invoiceId}/payments`));
    return staff(manage.post(`/payments/${items[0].id}/refund`, { reason: 'Sorry', ...changes }));
  };
  const mailsTo = async ({ email }: Buyer) =>
    (await files.mails()).filter(({ to, subject }) => to === email && subject.startsWith('Your downloads'));

  it('end with a full refund, not with a part of one', async () => {
    const buyer = await files.bought(await files.sell({ price: 10 }));
    const url = await urlOf(buyer);
    await payOut(buyer, { amount: 4 });
    expect(await got(buyer, url)).to.deep.equal([200, 'The whole book.']);
    await payOut(buyer);
    expect(await got(buyer, url)).to.deep.equal(gone);
    const [link] = await linksOf(buyer);
    expect(link).to.include({ isExpired: true, downloadCount: 1 });
    expect(Date.parse(link.expiresUtc)).to.be.at.most(Date.now());
    expect((await buyer.customer.get(`${downloadsBase}/customer`)).body).to.deep.equal([]);
    const seen = await staff(manage.get(`/orders/${buyer.invoiceId}/downloads`));
    expect(seen).to.include({ totalItems: 1, page: 1, totalPages: 1 });
    expect(seen.items[0]).to.deep.include({ ...link, isRevoked: true, fileId: 'book.pdf' });
    const refused = await staff(manage.post(`/orders/${buyer.invoiceId}/downloads/regenerate`), 400);
    expect(refused.message).to.equal(
      'There is nothing to download of this invoice: it was refunded in full.',
    );
  });

  it('end when the invoice is cancelled, and with it their making', async () => {
    const mug = await files.shop.sell('mug', { price: 10, stock: 10 });
    const buyer = await files.bought(mug, await files.sell());
    const url = await urlOf(buyer);
    await staff(manage.post(`/orders/${buyer.invoiceId}/cancel`, { reason: 'Gone' }));
    expect(await got(buyer, url)).to.deep.equal(gone);
    expect((await linksOf(buyer))[0].isExpired).to.equal(true);
    await staff(manage.post(`/orders/${buyer.invoiceId}/downloads/regenerate`), 400);
  });

  it('end with the order of their line, and with no other', async () => {
    const address = { countryCode: 'GB' };
    const { id: warehouseId } = await staff(manage.post('/warehouses', { name: 'Leeds', address }), 201);
    await staff(manage.post('/shipping-options', { name: 'Van', warehouseId, fixedCost: 3 }), 201);
    await files.shop.settle();
    const mug = await files.shop.sell('mug from Hull', { price: 10, stock: 10 });
    const more = { warehouses: [{ warehouseId }], stock: [{ warehouseId, stock: 10 }] };
    const cup = await files.shop.sell('cup from Leeds', { price: 10, more });
    const buyer = await files.bought(mug, cup, await files.sell());
    const url = await urlOf(buyer);
    await files.shop.settle();
    const { orders } = await staff(manage.get(`/orders/${buyer.invoiceId}`));
    const [withFile] = orders as { id: string; lineItems: { isDigital: boolean }[] }[];
    expect(withFile?.lineItems.some(({ isDigital }) => isDigital)).to.equal(true);
    const cancelOrder = (id = '') => staff(manage.put(`/orders/${id}/status`, { status: 'Cancelled' }));
    const another = await files.bought(mug, cup, await files.sell());
    await files.shop.settle();
    const [, { id: anothersSecond }] = (await staff(manage.get(`/orders/${another.invoiceId}`))).orders;

    await cancelOrder(anothersSecond);
    expect(await got(another, await urlOf(another))).to.deep.equal([200, 'The whole book.']);
    await cancelOrder(withFile?.id);
    expect(await got(buyer, url)).to.deep.equal(gone);
    const [link] = await linksOf(buyer);
    expect(link.isExpired).to.equal(true);
    const renewed = await staff(manage.post(`/orders/${buyer.invoiceId}/downloads/regenerate`));
    expect(renewed).to.deep.equal([]);
  });

  it('end with the line that an edit takes out, and come with the one that it adds', async () => {
    const mug = await files.shop.sell('cup', { price: 10, stock: 10 });
    const buyer = await files.bought(mug, await files.sell({ price: 5 }));
    const url = await urlOf(buyer);
    const { orders } = await staff(manage.get(`/orders/${buyer.invoiceId}/edit`));
    const digital = orders
      .flatMap(({ lineItems }: Buyer['paid']['body']) => lineItems)
      .find(({ isDigital }: { isDigital: boolean }) => isDigital);
    const free = await files.sell({ price: 0 });
    await staff(
      manage.put(`/orders/${buyer.invoiceId}/edit`, {
        removedLineItems: [{ id: digital.id }],
        productsToAdd: [{ productId: free }],
      }),
    );
    await files.shop.settle();
    expect(await got(buyer, url)).to.deep.equal(gone);
    const links = await linksOf(buyer);
    expect(links.map(({ isExpired }) => isExpired).sort()).to.deep.equal([false, true]);
    const added = links.find(({ isExpired }) => !isExpired).downloadUrl;
    expect(await got(buyer, added)).to.deep.equal([200, 'The whole book.']);
    expect(await mailsTo(buyer)).to.have.length(2);
  });

  it('are made again by staff: with other addresses, unused, for as long as they say', async () => {
    const buyer = await files.bought(await files.sell({ maxDownloads: 1 }));
    const before = await urlOf(buyer);
    expect((await got(buyer, before))[0]).to.equal(200);
    expect((await got(buyer, before))[0]).to.equal(403);
    const path = `/orders/${buyer.invoiceId}/downloads/regenerate`;
    const made = await staff(keyed('again', manage.post(path, { expiryDays: 3 })));
    expect(await staff(keyed('again', manage.post(path, { expiryDays: 3 })))).to.deep.equal(made);
    expect(made).to.have.length(1);
    expect(made[0]).to.include({ downloadCount: 0, remainingDownloads: 1, isRevoked: false });
    const days = (Date.parse(made[0].expiresUtc) - Date.parse(made[0].dateCreated)) / 86_400_000;
    expect(days).to.equal(3);
    expect(await got(buyer, before)).to.deep.equal(invalid);
    expect((await linksOf(buyer)).map(({ id }) => id)).to.deep.equal([made[0].id]);
    expect((await got(buyer, made[0].downloadUrl))[0]).to.equal(200);
    const [forEver] = await staff(manage.post(path, { expiryDays: 0 }));
    expect(forEver).to.include({ expiresUtc: null, isExpired: false });

    for (const [body, field] of [
      [{ expiryDays: 1.5 }, 'expiryDays'],
      [{ expiryDays: 'soon' }, 'expiryDays'],
      [{ expiryDays: 1e9 }, 'expiryDays'],
    ] as const)
      expect(String((await staff(manage.post(path, body), 400)).errors)).to.contain(field);
    await staff(manage.post('/orders/00000000-0000-4000-8000-000000000000/downloads/regenerate'), 404);
    await staff(manage.get('/orders/00000000-0000-4000-8000-000000000000/downloads'), 404);
    const unpaid = await files.atTheTill(await files.sell());
    const refused = await staff(manage.post(`/orders/${unpaid.invoiceId}/downloads/regenerate`), 400);
    expect(refused.message).to.contain('it has still to be paid');
    expect((await files.customer().post(`/backoffice/api/v1${path}`)).status).to.equal(401);
  });

  it('are told once to the buyer by mail, and to other systems', async () => {
    const receiver = await startReceiver();
    await files.shop.subscribe('digital.delivered', receiver.url);
    heard.length = 0;
    const product = await files.sell({
      files: ['book.pdf', 'Tea "2" <b>.zip'],
      maxDownloads: 3,
      method: 'EmailDelivered',
    });
    const buyer = await files.bought(product);
    const shown = await buyer.customer.get(`/api/shop/checkout/confirmation/${buyer.invoiceId}`);
    expect(shown.body.downloads).to.deep.equal([]);
    const [mail, ...others] = await mailsTo(buyer);
    expect(others).to.deep.equal([]);
    const { invoiceNumber } = shown.body;
    expect(mail?.subject).to.equal(`Your downloads from Files & Co: order ${invoiceNumber}`);
    expect(mail?.text).to.match(/Product FILE-\d+: book\.pdf \(3 times, until \d+ \w+ \d{4}\)\nhttp/);
    expect(mail?.html).to.contain('Tea &quot;2&quot; &lt;b&gt;.zip').and.contain('Files &amp; Co');
    const links = await linksOf(buyer);
    for (const { downloadUrl } of links) expect(mail?.text).to.contain(downloadUrl);

    await receiver.count(1);
    expect(JSON.parse(receiver.received[0]?.body.toString() ?? '').data).to.deep.equal({
      invoiceId: buyer.invoiceId,
      invoiceNumber,
      customerEmail: buyer.email,
      downloadLinkCount: 2,
      downloadLinks: links
        .toSorted((one, other) => (one.fileName > other.fileName ? -1 : 1))
        .map(({ id, fileName, downloadUrl, expiresUtc, maxDownloads }) => ({
          ...{ id, fileName, downloadUrl, expiresUtc, maxDownloads },
        })),
    });
    expect(heard.filter(({ event }) => event === 'DownloadLinksCreated')).to.have.length(1);
    await staff(manage.post(`/orders/${buyer.invoiceId}/downloads/regenerate`));
    expect(await mailsTo(buyer)).to.have.length(2);
    await receiver.count(2);
    await receiver.stop();
    const told = (await eventsIn(files.shop)).filter(({ stream }) => stream.endsWith(buyer.invoiceId));
    expect(told.map(({ type }) => type).filter((type) => type.startsWith('Download'))).to.deep.equal([
      'DownloadLinksCreated',
      'DownloadLinksMailed',
      'DownloadLinksCreated',
      'DownloadLinksMailed',
    ]);
  });

  it('bring no file that is not there, or not in the folder', async () => {
    const secret = join(files.dataDir, 'secret.txt');
    writeFileSync(secret, 'secret');
    const outward = files.store('outward.pdf');
    rmSync(outward);
    symlinkSync(secret, outward);
    symlinkSync('.', files.store('itself').replace('itself', 'round'));
    files.store('folder/inside.pdf');
    const product = await files.sell({ files: ['outward.pdf', 'missing.pdf', 'folder', 'round/book.pdf'] });
    const buyer = await files.bought(product);
    const answers = new Map<string, unknown>();
    for (const { fileName, downloadUrl } of await linksOf(buyer))
      answers.set(fileName, await got(buyer, downloadUrl));
    expect(Object.fromEntries(answers)).to.deep.equal({
      'outward.pdf': [400, 'The file of this link is not in the folder of downloads.'],
      'missing.pdf': [404, 'File not found on disk'],
      folder: [404, 'File not found on disk'],
      'book.pdf': [200, 'The whole book.'],
    });
    const counts = (await linksOf(buyer)).map(({ fileName, downloadCount }) => [fileName, downloadCount]);
    expect(Object.fromEntries(counts)).to.include({ 'missing.pdf': 0, 'outward.pdf': 0, 'book.pdf': 1 });
  });

  it('take so many requests a minute from a member, and parts of a counted download beside them', async () => {
    const product = await files.sell();
    const [buyer, other] = [await files.bought(product), await files.bought(product)];
    const url = await urlOf(buyer);
    for (let times = 0; times < 11; times++) expect((await got(buyer, url))[0]).to.equal(200);
    expect((await got(buyer, `${downloadsBase}/nonsense`))[0]).to.equal(404);
    const refused = await buyer.customer.get(url);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(refused.body.error).to.equal('Too many downloads. Try again in a moment.');
    const ranged = (range: string) => buyer.customer.get(url, { Range: range });
    expect((await ranged('bytes=4-')).status).to.equal(206);
    expect((await ranged('bytes=0-4')).status).to.equal(429);
    expect((await ranged('bytes=99-')).status).to.equal(429);
    expect((await buyer.customer.get(`${downloadsBase}/nonsense`, { Range: 'bytes=1-' })).status).to.equal(
      429,
    );
    expect((await got(other, await urlOf(other)))[0]).to.equal(200);
    await files.shop.tester.post('/testing/clock', { advanceSeconds: 61 });
    expect((await got(buyer, url))[0]).to.equal(200);
  });
});
