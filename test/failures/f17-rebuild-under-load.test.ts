import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** F17_ORDERS=6000 makes a log of some 200,000 events. */
const ORDERS = Number(process.env['F17_ORDERS'] ?? 64);
const VIEWS = ['orders', 'basket', 'payments', 'salesJournal', 'customers'];

type Rebuild = NonNullable<ProjectionResponse['rebuild']>;

describe(`F17: a rebuild under load (F17_ORDERS=${ORDERS})`, () => {
  let shop: ShopProcess;
  let receiver: Receiver;
  const seen: ApiResponse[] = [];
  before(async () => {
    receiver = await startReceiver();
    shop = await ShopProcess.simulate(['--orders', String(ORDERS), '--days', '60'], {
      env: { ALLOW_LOOPBACK_TARGETS: 'true' },
    });
    await shop.finished();
    await shop.start();
    for (const topic of ['order.created', 'invoice.paid', 'customer.created'])
      await shop.subscribe(topic, receiver.url);
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
  });

  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<ApiResponse> => {
    const answer = await shop.admin.call(method, `/backoffice/api/v1${path}`, body);
    seen.push(answer);
    return answer;
  };

  const rebuilds = async (): Promise<readonly Rebuild[]> => {
    const { items } = (await ask('GET', '/projections')).body as { items: readonly ProjectionResponse[] };
    return items.flatMap(({ name, rebuild }) => (rebuild && VIEWS.includes(name) ? [rebuild] : []));
  };

  /** What analysts are shown. */
  const shown = async (): Promise<readonly unknown[]> => {
    const days = 'startDate=2020-01-01&endDate=2029-12-31';
    const questions = ['/orders?pageSize=50', '/customers?pageSize=50', `/reporting/breakdown?${days}`];
    return Promise.all(questions.map(async (question) => (await ask('GET', question)).body as unknown));
  };

  it('shows the same throughout, cancelled once and killed once, and tells nobody anything', async () => {
    const before = await shown();
    const products = (await ask('GET', '/products?pageSize=1')).body as {
      items: readonly { variants: readonly { id: string }[] }[];
    };
    const productId = products.items[0]?.variants[0]?.id ?? '';
    const mails = join(shop.dataDir, 'mails');
    const mailsBefore = readdirSync(mails).sort();

    await ask('POST', '/projections/rebuild', { names: VIEWS });
    for (const name of VIEWS) await ask('DELETE', `/projections/${name}/rebuild`);
    while ((await rebuilds()).some(({ isDone }) => !isDone)) expect(await shown()).to.deep.equal(before);
    for (const { failure } of await rebuilds()) expect(failure).to.be.oneOf([null, 'cancelled by api-key']);

    await ask('POST', '/projections/rebuild', { names: VIEWS });
    await shop.kill();
    await shop.start();
    let shopped = 0;
    do {
      seen.push(await shop.shopper().add(productId));
      shopped++;
      expect(await shown()).to.deep.equal(before);
    } while ((await rebuilds()).some(({ isDone }) => !isDone));
    for (const rebuild of await rebuilds())
      expect(rebuild).to.include({ failure: null, askedBy: 'api-key', share: 1 });
    // Long enough that a thread has done it.
    for (const { position } of await rebuilds()) expect(position).to.be.above(2000);
    expect(shopped).to.be.at.least(1);

    await shop.settle();
    expect(seen.filter(({ status }) => status >= 500).map(({ text }) => text)).to.deep.equal([]);
    expect(receiver.received).to.deep.equal([]);
    expect(readdirSync(mails).sort()).to.deep.equal(mailsBefore);
  }).timeout(600_000);
});
