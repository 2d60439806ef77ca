import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import { settingsAsItWas } from '#command/settings-as-it-was.ts';
import { makeReplay } from '#projection/cli/replay/make-replay.ts';
import { serveReplay } from '#projection/cli/replay/serve-replay.ts';
import { loadConfig } from '#runtime/config.ts';
import { NoticedAgent } from '#test/support/agents/noticed-agent.ts';
import { Browser } from '#test/support/browser.ts';
import { manage } from '#test/support/requests.ts';
import { API_KEY, testEnvironment, TestShop } from '#test/support/shop.ts';

// docs/rules/agent-notices.md
describe('What an agent has been told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-told-'));
  const at = (name: string): string => `sqlite:${join(folder, name)}`;
  const environment = {
    ...testEnvironment(),
    ...{ DATA_DIR: folder, EVENT_STORE: at('events.db'), STATE_STORE: at('state.db') },
    ALLOW_LOOPBACK_TARGETS: 'true',
  };
  const watched = { onProgress: () => undefined, signal: new AbortController().signal };
  let shop: TestShop;
  let agent: NoticedAgent;
  let invoiceId: string;
  let then: number;
  before(async () => {
    shop = await TestShop.open({ environment });
    agent = await NoticedAgent.open(shop);
    const order = await agent.order(await shop.sell('mug', { price: 10 }));
    ({ invoiceId } = order);
    await order.pay();
    await shop.settle();
    then = shop.shop.runtime.clock.now();
    await shop.sell('jar', { price: 7 });
  });
  after(async () => {
    await agent.close();
    await shop.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    expect(agent.events).to.deep.equal(['order_placed']);
    expect((await shop.shown('/agent-deliveries')).totalItems).to.equal(1);
  });

  it('is not told again by a rebuild of every view', async () => {
    const views = async (): Promise<readonly ProjectionResponse[]> =>
      (await shop.shown('/projections')).items;
    const names = (await views()).map(({ name }) => name);
    const { status } = await shop.admin.ask(manage.post('/projections/rebuild', { names }));
    expect(status).to.equal(202);
    let isDone = false;
    while (!isDone) isDone = (await views()).every(({ rebuild }) => rebuild?.isDone);
  });

  it('is not told again by a question of what would have been', async () => {
    const offer = { name: 'Tenth', category: 'AmountOffOrder', method: 'Automatic' };
    const wish = {
      from: '2020-01-01',
      to: '2029-12-31',
      discount: { ...offer, valueType: 'Percentage', value: 10 },
    };
    const begun = await shop.admin.ask(manage.post('/what-if', wish));
    expect(begun.status, begun.text).to.equal(202);
    let run;
    do run = (await shop.admin.ask(manage.get(`/what-if/${begun.body.id}`))).body;
    while (run.status === 'Running');
    expect(run.result.check).to.include({ sales: 1 });
  });

  it('is not told again by a replay, made and served', async () => {
    const config = loadConfig({ env: environment });
    const until = { kind: 'instant', instant: then } as const;
    const moment = join(folder, 'then');
    await makeReplay(config, { until, folder: moment, views: null }, watched);
    const allRoutes = shop.shop.routes;
    const served = await serveReplay(
      { ...{ config, folder: moment, port: 0, version: '0', allRoutes }, further: settingsAsItWas },
      watched,
    );
    try {
      const admin = new Browser(`http://127.0.0.1:${served.port}`, { Authorization: `Bearer ${API_KEY}` });
      expect((await admin.ask(manage.get(`/orders/${invoiceId}`))).status).to.equal(200);
    } finally {
      await served.close();
    }
  });
});
