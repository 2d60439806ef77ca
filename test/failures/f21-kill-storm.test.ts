import { join } from 'node:path';
import { expect } from 'chai';
import type { VerificationReport } from '#contracts/verification.contract.ts';
import { offlineAudit } from '#projection/cli/audit/offline-audit.ts';
import { loadConfig } from '#runtime/config.ts';
import { startNoticeInbox, type NoticeInbox } from '#test/support/agents/notice-inbox.ts';
import { auditDeliveries } from '#test/support/audit-deliveries.ts';
import { auditForgotten } from '#test/support/audit-forgotten.ts';
import { auditLists } from '#test/support/audit-lists.ts';
import { auditMails } from '#test/support/audit-mails.ts';
import { killInRounds, stormStore, stormTopics } from '#test/support/kill-storm.ts';
import { MailFolder } from '#test/support/mail-folder.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { sendRecoveryMails, unhurried } from '#test/support/storm-leaver.ts';
import { shippingForAgents } from '#test/support/storm-agent.ts';
import { auditNotices } from '#test/support/storm-notices.ts';
import { rebuildDuring } from '#test/support/storm-rebuilder.ts';
import { rotateDuring } from '#test/support/storm-rotator.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

const ROUNDS = Number(process.env['STORM_ROUNDS'] ?? 10);
const AGENTS = 2;
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);

/** What `tillroll audit verify --views` says. */
const verifyAll = (dataDir: string): Promise<VerificationReport> => {
  const env = { DATA_DIR: dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit' };
  const request = { kept: null, isWithViews: true, onProgress: () => undefined };
  return offlineAudit.verify(loadConfig({ env }), request);
};

describe('F21: a storm of kills', () => {
  let shop: ShopProcess;
  let receiver: Receiver;
  let agent: NoticeInbox;
  before(async () => {
    receiver = await startReceiver();
    shop = await ShopProcess.open({
      storeFile: stormStore,
      env: {
        ALLOW_LOOPBACK_TARGETS: 'true',
        Payments__CallbacksPerMinute: '0',
        ...shippingForAgents,
        ...unhurried,
      },
    });
    for (const topic of stormTopics) await shop.subscribe(topic, receiver.url);
    await sendRecoveryMails(shop);
    agent = await startNoticeInbox(shop.admin);
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
    await agent.stop();
  });

  it(`loses nothing and doubles nothing in ${ROUNDS} rounds (STORM_SEED=${SEED})`, async () => {
    const storm = killInRounds({
      shop,
      money: shop,
      shoppers: 5,
      agents: AGENTS,
      agentProfile: agent.profile,
      leavers: { count: 3, mails: new MailFolder(join(shop.dataDir, 'mails')), desk: shop },
      seed: SEED,
      rounds: ROUNDS,
      victims: [[shop]],
    });
    const {
      done: {
        done: { crowd },
        rebuilds,
      },
      ...rotated
    } = await rotateDuring(shop, () => shop.ready(), rebuildDuring(shop, storm));
    expect(rebuilds).to.be.at.least(1);
    expect(rotated.rotations).to.be.at.least(1);

    await shop.settle();
    const lists = await auditLists(shop.admin);
    const { told } = crowd;
    const { body: manifest } = await shop.admin.get('/.well-known/ucp');
    const { problems, sales } = await shop.audit(told);
    const webhooks = await auditDeliveries(shop.dataDir, receiver.received);
    const mails = await auditMails(shop.dataDir, told.recovered);
    const forgetting = await auditForgotten(shop.dataDir, told.forgotten);
    const notices = await auditNotices(shop.dataDir, {
      ...{ soldToAgents: told.soldToAgents, agent },
      keys: manifest.signing_keys,
    });
    const proof = await verifyAll(shop.dataDir);
    expect(proof.problems).to.deep.equal([]);
    // The last seal was made at the stop in good order.
    expect(proof.seals).to.deep.include({ uncovered: 0 });
    expect([
      ...rotated.problems,
      ...lists,
      ...problems,
      ...webhooks.problems,
      ...mails.problems,
      ...forgetting,
      ...notices,
    ]).to.deep.equal([]);
    expect(sales).to.equal(told.paidInvoices.length);
    expect(crowd.acknowledged).to.be.at.least(ROUNDS);
    // Each of those who leave has been through one checkout at least.
    expect(mails.recovered).to.be.at.least(1);
    expect(mails.converted).to.be.at.least(2);
    expect(told.forgotten.length).to.be.at.least(2);
    // Before the first kill and after the last.
    expect(told.soldToAgents.length).to.be.at.least(2 * AGENTS);
  }).timeout(180_000 + ROUNDS * 10_000);
});
