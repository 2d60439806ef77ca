import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { API_KEY } from '#test/support/shop.ts';
import { manage } from '#test/support/requests.ts';

/** docs/rules/invoice-editing.md#which-invoices */
describe('Edits at two replicas of the command service', () => {
  it('of what both have read: one is told; the last units go to one; without a version both are made', async () => {
    const { open, log } = sharedMemory();
    const shop = await DistributedShop.open({ engines: open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const tea = await shop.sell('tea', { price: 4, stock: 3 });
      const order = async (): Promise<string> => {
        const shopper = shop.shopper();
        await shopper.prepare(mug, 1);
        const { invoiceId } = (await shopper.pay()).body;
        await shopper.payWith(invoiceId);
        return invoiceId;
      };
      const doors = shop
        .replicas('command')
        .map(({ at }) => new Browser(at.base, { Authorization: `Bearer ${API_KEY}` }));
      const both = (path: string, body: object, other = path) =>
        Promise.all(doors.map((door, index) => door.ask(manage.put(index === 0 ? path : other, body))));
      const [first, second] = [await order(), await order()];
      await shop.settle();
      const path = `/orders/${first}/edit`;

      const read = await both(path, { version: 0, orderDiscounts: [{ type: 'FixedAmount', value: 1 }] });
      expect(read.map(({ status }) => status).sort()).to.deep.equal([200, 409]);

      const unread = await both(path, { orderDiscounts: [{ type: 'FixedAmount', value: 1 }] });
      expect(unread.map(({ status }) => status)).to.deep.equal([200, 200]);
      const { body } = await shop.admin.ask(manage.get(path));
      expect([body.version, body.discountTotal]).to.deep.equal([3, 3]);

      const adding = { productsToAdd: [{ productId: tea, quantity: 2 }] };
      const added = await both(path, adding, `/orders/${second}/edit`);
      expect(added.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      await shop.settle();
      const events = await log.readAll(0);
      const begun = events.filter(({ type }) => type === 'InvoiceEditBegun').length;
      expect(events.filter(({ type }) => type === 'InvoiceEditEnded')).to.have.length(begun);
    } finally {
      await shop.close();
    }
  });
});
