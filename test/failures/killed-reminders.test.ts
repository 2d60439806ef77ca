import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { Customer, mailsIn } from '#test/support/member-shop.ts';
import { payByHand } from '#test/support/requests.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const email = 'ada@example.com';
const onAccount = payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 1' } });
const dueTomorrow = { paymentTermsDays: 1 };

/** docs/rules/account-terms.md#reminders */
describe('A reminder', () => {
  for (const when of ['before', 'after'] as const)
    it(`goes out once, killed ${when} it is recorded`, async () => {
      const diesAt = { when, eventType: 'InvoiceReminded' };
      const shop = await ShopProcess.open({ storeFile: smallStore({ stock: { tea: null } }), diesAt });
      try {
        await shop.ready();
        const opened = { shop, customer: () => new Customer(shop.base) };
        const { shopper } = await customerOnAccount(opened, email, variantId('tea'), dueTomorrow);
        await shopper.ask(onAccount);
        await shop.settle();
        const run = () => shop.tester.post('/testing/jobs/invoice-reminders');
        expect(await run().catch(() => null)).to.be.null;
        await shop.died();

        await shop.start();
        await shop.settle();
        await run();
        await shop.settle();
        await run();
        // What a killed process has queued is the job's to send.
        await shop.tester.post('/testing/jobs/send-mails');
        const { problems } = await shop.audit();
        expect(problems).to.deep.equal([]);
        expect(mailsIn(shop.dataDir).filter(({ subject }) => subject.includes('due soon'))).to.have.length(1);
      } finally {
        await shop.close();
      }
    }).timeout(90_000);

  it('goes out once from two command processes that are asked at the same moment', async () => {
    const memory = sharedMemory();
    const dataDir = mkdtempSync(join(tmpdir(), 'tillroll-reminders-'));
    const shop = await DistributedShop.open({
      engines: memory.open,
      replicas: { command: 2 },
      environment: { DATA_DIR: dataDir },
    });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const opened = { shop, customer: () => new Customer(shop.base) };
      const { shopper } = await customerOnAccount(opened, email, mug, dueTomorrow);
      await shopper.ask(onAccount);
      await shop.settle();
      const doors = shop.replicas('command').map(({ at }) => at.tester);
      await Promise.all(doors.map((door) => door.post('/testing/jobs/invoice-reminders')));
      await shop.settle();
      const recorded = await memory.log.readAll(0, 10_000);
      expect(recorded.filter(({ type }) => type === 'InvoiceReminded')).to.have.length(1);
      expect(mailsIn(dataDir).filter(({ subject }) => subject.includes('due soon'))).to.have.length(1);
    } finally {
      await shop.close();
      rmSync(dataDir, { recursive: true });
    }
  }).timeout(60_000);
});
