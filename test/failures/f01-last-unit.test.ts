import { expect } from 'chai';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { faultyEventStore, holdUntilBegun, type FaultyEventStore } from '#test/support/faults.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const SHOPPERS = 90;
const AGENTS = 10;

describe('F01: the last unit', () => {
  let log: FaultyEventStore;
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
  });
  after(() => shop.close());

  it('goes to one of a hundred shoppers and agents, and nobody else is charged', async () => {
    const mug = await shop.sell('last-mug', { price: 12, stock: 1 });
    const shoppers: Shopper[] = Array.from({ length: SHOPPERS }, () => shop.shopper());
    for (const [index, shopper] of shoppers.entries()) await shopper.prepare(mug, 1, `s${index}@example.com`);
    const agent = new BuyingAgent(shop.base);
    const sessions: string[] = [];
    while (sessions.length < AGENTS) sessions.push((await agent.begin(['last-mug', 1])).path);
    // Everybody's order has begun before anybody's reservation is written.
    holdUntilBegun(log, SHOPPERS + AGENTS, 'StockReserved');

    const [answers, completed] = await Promise.all([
      Promise.all(
        shoppers.map(async (shopper) => {
          const placed = await shopper.pay();
          if (placed.status === 200) await shopper.payWith(placed.body.invoiceId);
          return placed;
        }),
      ),
      Promise.all(sessions.map((path) => agent.complete(path))),
    ]);
    await shop.settle();

    const refused = answers.filter(({ status }) => status === 400);
    const outbid = completed.filter(({ status }) => status === 409);
    expect(refused.length + outbid.length).to.equal(SHOPPERS + AGENTS - 1);
    for (const { text } of outbid)
      expect(text).to.include('Insufficient stock: Product last-mug: 1 wanted, 0 available.');
    for (const { body } of refused) {
      expect(body).to.deep.include({
        success: false,
        message: 'Product last-mug: 1 wanted, 0 available.',
        requestedQuantity: 1,
        availableQuantity: 0,
      });
      expect(body.unavailableItems).to.have.length(1);
    }
    const [won] = [...answers, ...completed].filter(({ status }) => status === 200);
    const invoiceId: string = won?.body.invoiceId ?? won?.body.order.id;
    expect(await shop.charges()).to.have.length(1);
    expect((await shop.charges())[0]).to.deep.include({ invoiceId, amount: 19.4 });

    const events = await eventsIn(shop);
    expect(events.filter(({ type }) => type === 'InvoiceCreated')).to.have.length(1);
    expect(events.filter(({ type }) => type === 'OrderPlacementFailed')).to.have.length(
      SHOPPERS + AGENTS - 1,
    );
    const levels = events.filter(({ stream }) => stream.startsWith('stock-')).map(({ data }) => data);
    for (const { stock, reserved = 0 } of levels as { stock: number; reserved?: number }[]) {
      expect(reserved).to.be.within(0, stock);
    }
    expect(levels.at(-1)).to.deep.include({ stock: 1, reserved: 1 });
  });
});
