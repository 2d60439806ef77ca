import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { Customer, mailsIn } from '#test/support/member-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { payByHand } from '#test/support/requests.ts';
import type { ShopAt } from '#test/support/shop.ts';

const email = 'ada@example.com';
const onAccount = payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber: 'PO 1' } });

/** A sale on account that is due tomorrow. */
const sellOnAccount = async (shop: ShopAt): Promise<void> => {
  const mug = await shop.sell('mug', { price: 10 });
  const opened = { shop, customer: () => new Customer(shop.base) };
  const { shopper } = await customerOnAccount(opened, email, mug, { paymentTermsDays: 1 });
  const { status, text } = await shopper.ask(onAccount);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  await shop.settle();
};

/** docs/rules/account-terms.md#reminders */
describe('A reminder', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillroll-reminders-'));
  after(() => rmSync(dataDir, { recursive: true }));
  const reminders = () => mailsIn(dataDir).filter(({ subject }) => subject.includes('due soon'));
  afterEach(() => rmSync(join(dataDir, 'mails'), { recursive: true }));

  describe('of a shop that is killed', () => {
    const at = useMortalShop({ DATA_DIR: dataDir });
    for (const when of ['before', 'after'] as const)
      it(`goes out once, killed ${when} it is recorded`, async () => {
        await sellOnAccount(at.shop);
        await at.shop.live({ when, eventType: 'InvoiceReminded' });
        await at.shop.settle();
        const run = () => at.shop.tester.post('/testing/jobs/invoice-reminders');
        await at.shop.dieAfter(run());
        await at.shop.live();
        for (const again of [run, run]) {
          await at.shop.settle();
          await again();
        }
        await at.shop.settle();
        // What a killed process has queued is the job's to send.
        await at.shop.tester.post('/testing/jobs/send-mails');
        expect(reminders()).to.have.length(1);
        await at.shop.soundSales();
      });
  });

  it('goes out once from two command processes that are asked at the same moment', async () => {
    const memory = sharedMemory();
    const shop = await DistributedShop.open({
      engines: memory.open,
      replicas: { command: 2 },
      environment: { DATA_DIR: dataDir },
    });
    try {
      await sellOnAccount(shop);
      const doors = shop.replicas('command').map(({ at }) => at.tester);
      await Promise.all(doors.map((door) => door.post('/testing/jobs/invoice-reminders')));
      await shop.settle();
      const recorded = await memory.log.readAll(0, 10_000);
      expect(recorded.filter(({ type }) => type === 'InvoiceReminded')).to.have.length(1);
      expect(reminders()).to.have.length(1);
    } finally {
      await shop.close();
    }
  });
});
