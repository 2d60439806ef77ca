import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { basketProjection } from '#projection/contexts/basket/basket.projection.ts';
import { stockLevelsProjection } from '#projection/contexts/catalogue/stock-levels.projection.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { salesJournalProjection } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { collectionName } from '#projection/engine/generations.ts';
import { auditShop, type Acknowledged } from '#test/support/audit-shop.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const MUG = variantId('mug');

describe('the audit of a shop', () => {
  let shop: ShopProcess;
  let invoiceId: string;
  let basketId: string;

  before(async () => {
    shop = await ShopProcess.open({
      storeFile: smallStore({ stock: { mug: 5 }, code: { code: 'TEN', totalUsageLimit: 5 } }),
    });
    const shopper = shop.shopper();
    await shopper.prepare(MUG, 2);
    await shopper.applyCode('TEN');
    basketId = shopper.basketId;
    invoiceId = (await shopper.pay()).body.invoiceId;
    await shopper.payWith(invoiceId);
    await shop.settle();
    await shop.stop();
  });
  after(() => shop.close());

  /** What the audit finds in a copy of the data that somebody has been at. */
  const auditAfter = async (
    file: string,
    statements: string,
    acknowledged: Acknowledged = {},
  ): Promise<readonly string[]> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tillroll-audit-'));
    try {
      cpSync(shop.dataDir, dataDir, { recursive: true });
      const database = new DatabaseSync(join(dataDir, file));
      database.exec(statements);
      database.close();
      return (await auditShop({ dataDir, acknowledged })).problems;
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  };
  const told = (units: number): Acknowledged => ({
    baskets: new Map([[basketId, { [MUG]: units }]]),
    paidInvoices: [invoiceId],
  });
  const eventsWithoutTriggers = (change: string): string =>
    `DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed; ${change}`;

  it('finds nothing where nothing is wrong', async () => {
    expect(await auditAfter('read.db', '', told(2))).to.deep.equal([]);
  });

  it('misses what a shopper was told and what nobody was told', async () => {
    expect(await auditAfter('read.db', '', told(3))).to.have.length(1);
    expect(await auditAfter('read.db', '', told(1))).to.have.length(1);
    const unanswered = new Map([[basketId, { [MUG]: 1 }]]);
    expect(await auditAfter('read.db', '', { ...told(1), unanswered })).to.deep.equal([]);
    expect(await auditAfter('read.db', '', { paidInvoices: [MUG] })).to.have.length(1);
  });

  it('sees an event that was altered and one that is gone', async () => {
    const altered = eventsWithoutTriggers(
      `UPDATE events SET data = replace(data, '"change":2', '"change":1') WHERE type = 'StockReserved'`,
    );
    expect(await auditAfter('events.db', altered)).to.match(/stock-\S+ revision 1 is altered/);
    const gone = eventsWithoutTriggers(`DELETE FROM events WHERE type = 'StockReserved'`);
    expect((await auditAfter('events.db', gone)).join()).to.match(/holds 0, its invoice needs 2/);
    const unnumbered = eventsWithoutTriggers(`DELETE FROM events WHERE type = 'InvoiceNumberTaken'`);
    expect((await auditAfter('events.db', unnumbered)).join()).to.match(/took no number/);
  });

  it('sees a charge without a payment and a payment without a charge', async () => {
    expect((await auditAfter('state.db', 'DELETE FROM sandbox_charges')).join()).to.match(/charged nothing/);
    const second = `INSERT INTO sandbox_charges (id, position, removed, doc)
      SELECT 'second', position, removed, json_set(doc, '$._id', 'second') FROM sandbox_charges`;
    expect((await auditAfter('state.db', second)).join()).to.match(
      /second of invoice \S+ was never captured/,
    );
  });

  it('sees a view that tells another story than the log', async () => {
    for (const [table, change] of [
      [collectionName(basketProjection, 1), `json_set(doc, '$.itemCount', 3)`],
      [collectionName(orderListProjection, 1), `json_set(doc, '$.balance.paymentStatus', 'Unpaid')`],
      [collectionName(salesJournalProjection, 1), `replace(doc, '"total":', '"total":1')`],
      [collectionName(stockLevelsProjection, 1), `replace(doc, '"reserved":2', '"reserved":1')`],
      ['checkpoints', `json_set(doc, '$.position', 1)`],
    ] as const) {
      const problems = await auditAfter('read.db', `UPDATE "${table}" SET doc = ${change}`);
      expect(problems, table).to.have.length.at.least(1);
    }
  });
});
