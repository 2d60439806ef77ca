import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import { typedAddress } from '#test/support/builders/address.ts';
import type { Customer } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';
import { DownloadShop, downloadsBase, linksOf, type Buyer } from '#test/support/download-shop.ts';

// docs/rules/downloads.md
describe('files that members have bought', () => {
  let files: DownloadShop;

  before(async () => {
    files = await DownloadShop.open();
    files.store('book.pdf', 'The whole book.');
    files.store('courses/film.mp4', 'A film.');
  });
  after(() => files.close());

  const list = ({ customer }: Pick<Buyer, 'customer'>, query = '') =>
    customer.get(`${downloadsBase}/customer${query}`);

  it('are there in the moment after the payment: on the confirmation, by invoice and in the account', async () => {
    const product = await files.sell({ files: ['courses/film.mp4', 'book.pdf'], maxDownloads: 3 });
    const buyer = await files.bought(product);
    const ofInvoice = await linksOf(buyer);
    expect(ofInvoice.map(({ fileName }) => fileName)).to.deep.equal(['book.pdf', 'film.mp4']);
    const [book] = ofInvoice;
    expect(Object.keys(book)).to.deep.equal([
      'id',
      'fileName',
      'downloadUrl',
      'expiresUtc',
      'productName',
      'maxDownloads',
      'downloadCount',
      'remainingDownloads',
      'lastDownloadUtc',
      'isExpired',
      'isDownloadLimitReached',
    ]);
    expect(book).to.deep.include({
      productName: 'Product FILE-1',
      maxDownloads: 3,
      downloadCount: 0,
      remainingDownloads: 3,
      lastDownloadUtc: null,
      isExpired: false,
      isDownloadLimitReached: false,
    });
    expect(book.downloadUrl).to.match(/^\/api\/shop\/downloads\/[0-9a-f]{32}-[\w-]{43}$/);
    expect((await list(buyer)).body).to.have.deep.members(ofInvoice);
    const shown = await buyer.customer.get(`/api/shop/checkout/confirmation/${buyer.invoiceId}`);
    expect(shown.body.downloads).to.have.deep.members(ofInvoice);
    const got = await buyer.customer.get(book.downloadUrl);
    expect([got.status, got.text]).to.deep.equal([200, 'The whole book.']);
    const order = await files.shop.admin.ask(manage.get(`/orders/${buyer.invoiceId}`));
    expect(order.body.orders.map(({ status }: { status: string }) => status)).to.deep.equal(['Completed']);
  });

  it('come for a free order too, and for what staff sell', async () => {
    const free = await files.sell({ price: 0 });
    const customer = files.customer();
    await customer.register('free@example.com', free);
    await customer.initialize();
    const { body: placed } = await customer.pay();
    expect(await linksOf({ customer, invoiceId: placed.invoiceId })).to.have.length(1);

    const product = await files.sell();
    const ask = async (request: Request) => {
      const answer = await files.shop.admin.ask(request);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    const billingAddress = { ...typedAddress(), email: 'free@example.com' };
    const customItems = [{ name: 'Advice', amount: 1, isPhysical: false }];
    const { invoiceId } = await ask(manage.post('/orders/manual', { billingAddress, customItems }));
    await ask(manage.put(`/orders/${invoiceId}/edit`, { productsToAdd: [{ productId: product }] }));
    const listed = async () => {
      await files.shop.settle();
      return (await ask(manage.get(`/orders/${invoiceId}/downloads`))).items;
    };
    expect(await listed()).to.deep.equal([]);
    await files.shop.settle();
    const { balanceDue: amount } = await ask(manage.get(`/orders/${invoiceId}`));
    await ask(manage.post(`/invoices/${invoiceId}/payments/manual`, { amount, paymentMethod: 'Cash' }));
    const links = await listed();
    expect(links).to.have.length(1);
    expect((await customer.get(links[0].downloadUrl)).status).to.equal(200);
    const ofManual = `${downloadsBase}/invoice/${invoiceId}`;
    expect((await customer.get(ofManual)).body).to.have.length(1);

    // Without the link to the customer, what the account has bought itself is all that is theirs.
    const { items } = await ask(manage.get('/customers?search=free@example.com'));
    await ask(manage.put(`/customers/${items[0].id}`, { clearMemberKey: true }));
    await files.shop.settle();
    const refused = await customer.get(links[0].downloadUrl);
    expect([refused.status, refused.body.error]).to.deep.equal([401, 'Sign in first.']);
    const unknown = await customer.get(ofManual);
    expect([unknown.status, unknown.body.error]).to.deep.equal([404, 'Customer not found']);
    const { body: left } = await customer.get(`${downloadsBase}/customer`);
    expect(left).to.deep.equal(await linksOf({ customer, invoiceId: placed.invoiceId }));
    expect((await customer.get(left[0].downloadUrl)).status).to.equal(200);
  });

  it('are nobody’s who has bought nothing and is no customer', async () => {
    const mug = await files.shop.sell('mug-of-nobody', { price: 10, stock: 5 });
    const customer = files.customer();
    await customer.register('nobody@example.com', mug);
    expect((await customer.get(`${downloadsBase}/customer`)).body).to.deep.equal([]);
    const [{ id }] = (await files.shop.admin.ask(manage.get('/customers?search=nobody@example.com'))).body
      .items;
    await files.shop.admin.ask(manage.put(`/customers/${id}`, { clearMemberKey: true }));
    await files.shop.settle();
    const listed = await customer.get(`${downloadsBase}/customer`);
    expect([listed.status, listed.body]).to.deep.equal([
      404,
      {
        error: 'Customer not found',
        success: false,
        code: 'customer-not-found',
        message: 'Customer not found',
      },
    ]);
    expect((await customer.get(`${downloadsBase}/nonsense`)).status).to.equal(401);
  });

  it('are streamed with their type and name, for nobody else to keep', async () => {
    const names = ['Café “Süd”.PDF', 'say "cheese"; 100%.zip', 'no extension', '日本 (1).mp3'];
    for (const name of names) files.store(`odd/${name}`, name);
    const buyer = await files.bought(await files.sell({ files: names.map((name) => `odd/${name}`) }));
    const seen = new Map<string, (string | null)[]>();
    for (const { fileName, downloadUrl } of await linksOf(buyer)) {
      const { headers, status, text } = await buyer.customer.get(downloadUrl);
      expect([status, text]).to.deep.equal([200, fileName]);
      expect(headers.get('cache-control')).to.equal('private, no-store');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('accept-ranges')).to.equal('bytes');
      expect(headers.get('content-length')).to.equal(String(Buffer.byteLength(fileName)));
      seen.set(fileName, [headers.get('content-type'), headers.get('content-disposition')]);
    }
    expect(Object.fromEntries(seen)).to.deep.equal({
      'Café “Süd”.PDF': [
        'application/pdf',
        `attachment; filename="Caf_ _S_d_.PDF"; filename*=UTF-8''Caf%C3%A9%20%E2%80%9CS%C3%BCd%E2%80%9D.PDF`,
      ],
      'say "cheese"; 100%.zip': [
        'application/zip',
        `attachment; filename="say _cheese_; 100_.zip"; filename*=UTF-8''say%20%22cheese%22%3B%20100%25.zip`,
      ],
      'no extension': [
        'application/octet-stream',
        `attachment; filename="no extension"; filename*=UTF-8''no%20extension`,
      ],
      '日本 (1).mp3': [
        'audio/mpeg',
        `attachment; filename="__ (1).mp3"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20%281%29.mp3`,
      ],
    });
  });

  it('are counted, parts of a counted one are not, and the fourth of three is refused', async () => {
    const buyer = await files.bought(await files.sell({ maxDownloads: 3 }));
    const [{ downloadUrl }] = await linksOf(buyer);
    const get = (range?: string) => buyer.customer.get(downloadUrl, range ? { Range: range } : {});
    const count = async () => (await linksOf(buyer))[0].downloadCount;

    // Nobody has begun: a part is a download of its own.
    const part = await get('bytes=4-8');
    expect([part.status, part.text, part.headers.get('content-range')]).to.deep.equal([
      206,
      'whole',
      'bytes 4-8/15',
    ]);
    expect(part.headers.get('content-length')).to.equal('5');
    expect(await count()).to.equal(1);
    expect((await get('bytes=10-')).text).to.equal('book.');
    expect((await get('bytes=-5')).text).to.equal('book.');
    expect(await count()).to.equal(1);
    const first = await get('bytes=0-2');
    expect([first.status, first.text]).to.deep.equal([206, 'The']);
    const whole = await get('bytes=0-2,4-8');
    expect([whole.status, whole.text]).to.deep.equal([200, 'The whole book.']);
    expect(await count()).to.equal(3);

    for (const range of [undefined, 'bytes=0-', 'bytes=nonsense']) {
      const refused = await get(range);
      expect(refused.status).to.equal(403);
      expect(refused.body).to.deep.equal({
        error: 'Download limit reached',
        success: false,
        code: 'download-limit-reached',
        message: 'Download limit reached',
      });
    }
    // The last one allowed may still be taken up where it broke off: twice its length.
    expect((await get('bytes=1-')).status).to.equal(206);
    expect((await get('bytes=1-')).status).to.equal(206);
    expect((await get('bytes=1-')).status).to.equal(403);
    const [link] = await linksOf(buyer);
    expect(link).to.deep.include({ downloadCount: 3, remainingDownloads: 0, isDownloadLimitReached: true });
    expect(link.lastDownloadUtc).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect((await list(buyer)).body).to.deep.equal([]);
    expect((await list(buyer, '?includeExpired=true')).body).to.deep.equal([link]);
  });

  it('are not counted when somebody only asks what there is, or beyond the end', async () => {
    const buyer = await files.bought(await files.sell({ maxDownloads: 1 }));
    const [{ downloadUrl }] = await linksOf(buyer);
    const head = await buyer.customer.call('HEAD', downloadUrl, undefined, { Range: 'bytes=4-8' });
    expect([head.status, head.text, head.headers.get('content-length')]).to.deep.equal([200, '', '15']);
    const beyond = await buyer.customer.get(downloadUrl, { Range: 'bytes=15-' });
    expect([beyond.status, beyond.headers.get('content-range')]).to.deep.equal([416, 'bytes */15']);
    expect(beyond.body).to.include({ success: false, error: 'The file ends before that.' });
    expect((await linksOf(buyer))[0].downloadCount).to.equal(0);
    const whole = await buyer.customer.get(downloadUrl);
    expect(whole.status).to.equal(200);
    // Of another file than they have the beginning of they get the whole, which is a download.
    const stale = { Range: 'bytes=4-8', 'If-Range': '"another"' };
    expect((await buyer.customer.get(downloadUrl, stale)).status).to.equal(403);
    const same = { Range: 'bytes=4-8', 'If-Range': whole.headers.get('etag') ?? '' };
    expect((await buyer.customer.get(downloadUrl, same)).text).to.equal('whole');
    expect((await buyer.customer.call('HEAD', downloadUrl)).status).to.equal(403);
  });

  it('are for whoever bought them: signed in, with an unaltered token that has not expired', async () => {
    const product = await files.sell({ expiryDays: 2 });
    const buyer = await files.bought(product);
    const other = await files.bought(product);
    const [link] = await linksOf(buyer);
    const path = link.downloadUrl as string;
    const token = path.slice(path.lastIndexOf('/') + 1);
    const refused = (status: number, code: string, message: string) => ({
      status,
      body: { error: message, success: false, code, message },
    });
    const got = async (by: Customer, what: string) => {
      const { status, body } = await by.get(what);
      return { status, body };
    };
    for (const what of [path, `${downloadsBase}/customer`, `${downloadsBase}/invoice/${buyer.invoiceId}`])
      expect(await got(files.customer(), what)).to.deep.equal(
        refused(401, 'unauthenticated', 'Sign in first.'),
      );
    const [id = '', signature = ''] = [token.slice(0, 32), token.slice(33)];
    const foreign = (await linksOf(other))[0].downloadUrl.slice(downloadsBase.length + 1);
    const wrong = [
      foreign,
      `${id}-${signature.slice(0, -1)}${signature.endsWith('A') ? 'Q' : 'A'}`,
      `${id}-${foreign.slice(33)}`,
      `${'0'.repeat(32)}-${signature}`,
      `${id}-${signature}A`,
      `${id.toUpperCase()}-${signature}`,
      `${token}%2e`,
      `${token}%00`,
      `..%2f${token}`,
      '%2e%2e%2fbackoffice.key',
      '%25',
      'invoice',
      'x'.repeat(4000),
    ];
    for (const one of wrong)
      expect(await got(buyer.customer, `${downloadsBase}/${one}`), one).to.deep.equal(
        refused(404, 'download-not-found', 'Invalid download token'),
      );
    for (const nowhere of [`${path}/x`, `${downloadsBase}/a/../b/c`, `${downloadsBase}/%zz`, downloadsBase])
      expect((await got(buyer.customer, nowhere)).status, nowhere).to.equal(404);
    const ofOther = await got(buyer.customer, `${downloadsBase}/invoice/${other.invoiceId}`);
    expect(ofOther).to.deep.equal(refused(403, 'not-yours', 'This invoice belongs to another customer.'));
    const none = await got(buyer.customer, `${downloadsBase}/invoice/00000000-0000-4000-8000-000000000000`);
    expect(none).to.deep.equal(refused(404, 'invoice-not-found', 'There is no such invoice.'));
    expect((await buyer.customer.get(`${downloadsBase}/invoice/nonsense`)).status).to.equal(404);
    expect((await list(buyer, '?includeExpired=perhaps')).body.message).to.contain('includeExpired');
    expect((await buyer.customer.post(path)).status).to.equal(405);

    await files.shop.tester.post('/testing/clock', { advanceSeconds: 2 * 24 * 3600 - 60 });
    expect((await buyer.customer.signIn(buyer.email)).status).to.equal(200);
    expect((await buyer.customer.get(path)).status).to.equal(200);
    await files.shop.tester.post('/testing/clock', { advanceSeconds: 60 });
    expect(await got(buyer.customer, path)).to.deep.equal(
      refused(404, 'download-expired', 'Download link has expired'),
    );
    expect((await list(buyer)).body).to.deep.equal([]);
    const [ended] = (await list(buyer, '?includeExpired=true')).body;
    expect(ended).to.include({ isExpired: true, expiresUtc: link.expiresUtc });
  });
});
