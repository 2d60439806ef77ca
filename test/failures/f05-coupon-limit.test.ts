import { expect } from 'chai';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { faultyEventStore, holds, holdUntilBegun, type FaultyEventStore } from '#test/support/faults.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const SHOPPERS = 20;

describe('F05: the limit of a coupon', () => {
  let log: FaultyEventStore;
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => shop.close());

  it('holds among twenty who pay at once: three pay less, nobody pays full price unasked', async () => {
    const mug = await shop.sell('mug', { price: 10 });
    await shop.discount('THREE', 50, 3);
    const shoppers = Array.from({ length: SHOPPERS }, () => shop.shopper());
    for (const [index, shopper] of shoppers.entries()) {
      await shopper.prepare(mug, 1, `s${index}@example.com`);
      expect((await shopper.applyCode('THREE')).body.basket.total).to.equal(11);
    }
    // Everybody's order has begun before anybody's use of the code is written.
    holdUntilBegun(log, SHOPPERS, 'DiscountUseClaimed');
    const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));

    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).to.have.length(SHOPPERS - 3);
    for (const { body } of refused) {
      expect(body).to.deep.include({
        success: false,
        message: 'This discount has been used up.',
        errorCode: 'UsageLimitReached',
      });
      expect(body.basket).to.deep.include({ discount: 0, total: 17, appliedDiscounts: [] });
    }
    const invoices = (await eventsIn(shop)).filter(({ type }) => type === 'InvoiceCreated');
    expect(invoices).to.have.length(3);
    for (const { data } of invoices as { data: { content: { amounts: object } } }[]) {
      expect(data.content.amounts).to.include({ discount: 500, total: 1100 });
    }
    expect(await shop.charges()).to.have.length(0);
  });

  it('holds among agents: who comes too late is told to read again what it costs now', async () => {
    await shop.sell('glass', { price: 10 });
    await shop.discount('TWO', 50, 2);
    const agent = new BuyingAgent(shop.base);
    const sessions: string[] = [];
    while (sessions.length < 6)
      sessions.push((await agent.beginWith({ discounts: { codes: ['TWO'] } }, ['glass', 1])).path);
    holdUntilBegun(log, sessions.length, 'DiscountUseClaimed');
    const answers = await Promise.all(sessions.map((path) => agent.complete(path)));
    const totals = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => body.totals.at(-1).amount);
    expect(totals).to.deep.equal([1100, 1100]);
    for (const [index, { status, body }] of answers.entries()) {
      if (status === 200) continue;
      expect([status, body.code]).to.deep.equal([409, 'conflict']);
      const again = await agent.complete(sessions[index] ?? '');
      expect(again.body.totals.at(-1).amount).to.equal(1700);
    }
  });

  it('lets those who came too late pay the full price once they have seen it, and takes nothing from the winners', async () => {
    const mug = await shop.sell('cup', { price: 10 });
    await shop.discount('ONE', 50, 1);
    const [winner, late] = [shop.shopper(), shop.shopper()];
    for (const shopper of [winner, late]) {
      await shopper.prepare(mug, 1, `${shopper === winner ? 'winner' : 'late'}@example.com`);
      await shopper.applyCode('ONE');
    }
    const won = await winner.pay();
    expect(won.status).to.equal(200);
    const asked = await late.pay();
    expect(asked.status).to.equal(400);
    expect(asked.body.basket).to.include({ total: 17 });
    const placed = await late.pay();
    expect(placed.status).to.equal(200);
    await late.payWith(placed.body.invoiceId);
    await winner.payWith(won.body.invoiceId);
    const charges = await Promise.all([won, placed].map(({ body }) => shop.charges(body.invoiceId)));
    expect(charges.flat().map(({ amount }) => amount)).to.have.members([17, 11]);
  });

  it('holds for an automatic discount, too: who comes too late is asked first, and it stays off their basket', async () => {
    const mug = await shop.sell('bowl', { price: 10 });
    await shop.rule('First three', { value: 50, totalUsageLimit: 3, requirementType: 'None' });
    const shoppers = Array.from({ length: 8 }, () => shop.shopper());
    for (const [index, shopper] of shoppers.entries()) {
      await shopper.prepare(mug, 1, `a${index}@example.com`);
      expect((await shopper.basket()).body).to.include({ discount: 5 });
    }
    holdUntilBegun(log, shoppers.length, 'DiscountUseClaimed');
    const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
    const late = shoppers.filter((_, index) => answers[index]?.status === 400);
    expect(late).to.have.length(5);
    for (const { status, body } of answers) {
      if (status === 200) continue;
      const warnings = ['This discount has been used up.'];
      expect(body).to.deep.include({ success: false, errorCode: 'UsageLimitReached', warnings });
      expect(body.basket).to.deep.include({ discount: 0, total: 17, appliedDiscounts: [], warnings });
    }
    const again = await Promise.all(late.map((shopper) => shopper.pay()));
    expect(again.map(({ status }) => status)).to.deep.equal(late.map(() => 200));
    const totals = (await eventsIn(shop))
      .filter(({ type }) => type === 'InvoiceCreated')
      .slice(-8)
      .map(({ data }) => (data as { content: { amounts: { total: number } } }).content.amounts.total);
    expect(totals.toSorted()).to.deep.equal([1100, 1100, 1100, 1700, 1700, 1700, 1700, 1700]);
  });

  it('of one customer holds among all baskets that give this e-mail address', async () => {
    const mug = await shop.sell('jug', { price: 10 });
    await shop.rule('ONCE', {
      method: 'Code',
      code: 'ONCE',
      value: 50,
      priority: 1,
      perCustomerUsageLimit: 1,
    });
    const shoppers = Array.from({ length: 5 }, () => shop.shopper());
    for (const shopper of shoppers) {
      await shopper.add(mug);
      await shopper.applyCode('ONCE');
      await shopper.giveAddress('one@example.com');
      await shopper.initialize();
    }
    holdUntilBegun(log, shoppers.length, 'DiscountUseClaimed');
    const answers = await Promise.all(shoppers.map((shopper) => shopper.pay()));
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400, 400, 400]);
    for (const { status, body } of answers)
      if (status === 400) expect(body).to.include({ errorCode: 'CustomerUsageLimitReached' });
  });

  it('counts what was bought while it was set, also when the shop stopped before it had looked again', async () => {
    const mug = await shop.sell('plate', { price: 10 });
    const id = await shop.rule('GAINS', { method: 'Code', code: 'GAINS', value: 50, priority: 2 });
    const other = shop.shopper();
    await other.prepare(mug, 1, 'other@example.com');
    await other.applyCode('GAINS');
    const limit = () => shop.admin.ask(manage.put(`/discounts/${id}`, { totalUsageLimit: 1 }));
    const usesTakenOver = async () =>
      (await eventsIn(shop)).filter(({ type }) => type === 'DiscountUsesTakenOver').length;
    // Bought after the first look at the log, and before the limit holds; then the second look ends there.
    log.runBefore('append', holds('DiscountChanged'), async () => {
      expect((await other.pay()).status).to.equal(200);
      log.runBefore(
        'readAll',
        () => true,
        () => {
          throw new EngineUnavailable('the shop stops here');
        },
      );
    });
    expect((await limit()).status).to.equal(503);
    expect(await usesTakenOver()).to.equal(1);
    const late = shop.shopper();
    await late.prepare(mug, 1, 'latest@example.com');
    expect((await limit()).body).to.include({ totalUsageLimit: 1 });
    await shop.settle();
    expect((await late.applyCode('GAINS')).body.errorCode).to.equal('UsageLimitReached');
    const looked = await usesTakenOver();
    await limit();
    expect(await usesTakenOver()).to.equal(looked);
  });
});
