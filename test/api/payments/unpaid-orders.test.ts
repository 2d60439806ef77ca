import { expect } from 'chai';
import type { Request } from '#test/support/browser.ts';
import { add, pay, readyToPay, withHeaders } from '#test/support/requests.ts';
import { body, header, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('unpaid orders from one address', () => {
  const LIMIT = 2;
  let shop: TestShop;
  let mug: string;
  before(async () => {
    const environment = { Checkout__OpenInvoicesPerAddress: String(LIMIT), Storefront__TrustedProxies: '1' };
    shop = await TestShop.open({ environment });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  const payFrom = (ip: string): Request => withHeaders({ 'X-Forwarded-For': ip }, pay());
  /** As many unpaid orders as the address may have; the shopper and the invoice of the first one. */
  const fill = async (ip: string): Promise<{ readonly shopper: Shopper; readonly invoiceId: string }> => {
    const shopper = shop.shopper();
    const first = await shop
      .given(...readyToPay(mug))
      .by(shopper)
      .when(payFrom(ip))
      .then(200);
    for (let place = 1; place < LIMIT; place++) await isTaken(ip);
    return { shopper, invoiceId: first.body.invoiceId };
  };
  const isTaken = (ip: string) =>
    shop
      .given(...readyToPay(mug))
      .when(payFrom(ip))
      .then(200);
  const isRefused = (ip: string) =>
    shop
      .given(...readyToPay(mug))
      .when(payFrom(ip))
      .then(429)
      .and(refusedFor('too-many-open-invoices'));

  it('are bounded: the next one is 429, says when to come back, and holds nothing', async () => {
    const message = /2 orders from your network are unpaid/;
    await fill('198.51.100.1');
    await isRefused('198.51.100.1')
      .and(header('Retry-After', '60'))
      .and(body((found) => expect(found.message).to.match(message)))
      .and(noNewEvents());
    await isTaken('198.51.100.2');
  });

  it('are counted for a whole /64 of IPv6', async () => {
    await fill('2001:db8:1:2::1');
    await isRefused('2001:db8:1:2:ffff::9');
    await isTaken('2001:db8:1:3::1');
  });

  it('leave room again once one is paid', async () => {
    const { shopper, invoiceId } = await fill('198.51.100.3');
    await isRefused('198.51.100.3');
    await shopper.payWith(invoiceId);
    await isTaken('198.51.100.3');
  });

  it('do not keep a shopper from paying her own, or from changing it first', async () => {
    const ip = '198.51.100.4';
    const { shopper, invoiceId } = await fill(ip);
    await shop.given().by(shopper).when(payFrom(ip)).then(200, { invoiceId });
    await shop
      .given(add(mug))
      .by(shopper)
      .when(payFrom(ip))
      .then(200)
      .and(body((changed) => expect(changed.invoiceId).not.to.equal(invoiceId)));
    await isRefused(ip);
  });

  it('do not count orders that could not be placed', async () => {
    const ip = '198.51.100.5';
    const rare = await shop.sell('rare', { price: 10, stock: 1 });
    const shoppers = [shop.shopper(), shop.shopper(), shop.shopper()];
    for (const shopper of shoppers) await shopper.prepare(rare);
    const statuses: number[] = [];
    for (const shopper of shoppers) statuses.push((await shopper.ask(payFrom(ip))).status);
    expect(statuses).to.deep.equal([200, 400, 400]);
    await isTaken(ip);
  });

  it('name no address in the log', async () => {
    await fill('198.51.100.6');
    const log = await shop.shop.runtime.store.readAll(0);
    expect(log.map(({ data, metadata }) => data + metadata).join()).to.not.include('198.51.100.');
  });

  it('stand in the API description', async () => {
    const { paths } = (await shop.tester.get('/openapi.json')).body;
    for (const path of ['pay', 'process-direct-payment'])
      expect(paths[`/api/shop/checkout/${path}`].post.responses, path).to.include.keys('429');
  });
});
