import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore, variantId } from '#test/support/small-store.ts';

const TEA = variantId('tea');

describe('F08: a shop that is killed after the charge', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  it('charges once and records one payment, and tells the shopper who asks again', async () => {
    const storeFile = smallStore({ stock: { tea: null } });
    shop = await ShopProcess.open({ storeFile, diesAt: { when: 'before', eventType: 'PaymentCaptured' } });
    await shop.ready();
    const shopper = shop.shopper();
    await shopper.prepare(TEA);
    const { body } = await shopper.pay();
    const invoiceId = body.invoiceId as string;
    const charged = await shopper.payWith(invoiceId).catch(() => null);
    expect(charged).to.be.null;
    await shop.died();

    await shop.start();
    const again = await shopper.payWith(invoiceId);
    expect(again.status).to.equal(200);
    expect(again.body.status).to.equal('Completed');
    expect((await shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([invoiceId]);
    const { invoices, sales, problems } = await shop.audit({ paidInvoices: [invoiceId] });
    expect({ invoices, sales, problems }).to.deep.equal({ invoices: 1, sales: 1, problems: [] });
  });
  it('completes the session of an agent by itself, and tells the agent who asks again', async () => {
    const storeFile = smallStore({ stock: { tea: null } });
    shop = await ShopProcess.open({ storeFile, diesAt: { when: 'before', eventType: 'PaymentCaptured' } });
    await shop.ready();
    const agent = new BuyingAgent(shop.base);
    const { path } = await agent.begin(['tea', 1]);
    const key = newId();
    expect(await agent.complete(path, 'tok_success', { key }).catch(() => null)).to.be.null;
    await shop.died();

    await shop.start();
    await shop.settle();
    const { status, order } = (await agent.browser.get(path)).body;
    expect(status).to.equal('completed');
    const again = await agent.complete(path, 'tok_success', { key });
    expect([again.status, again.body.order?.id]).to.deep.equal([200, order.id]);
    expect((await shop.charges()).map((charge) => charge.invoiceId)).to.deep.equal([order.id]);
    const { invoices, sales, problems } = await shop.audit({ paidInvoices: [order.id] });
    expect({ invoices, sales, problems }).to.deep.equal({ invoices: 1, sales: 1, problems: [] });
  });

  it('opens the session of an agent again where nothing was charged, which is paid then', async () => {
    const storeFile = smallStore({ stock: { tea: null } });
    shop = await ShopProcess.open({ storeFile, diesAt: { when: 'before', eventType: 'InvoiceCreated' } });
    await shop.ready();
    const agent = new BuyingAgent(shop.base);
    const { path } = await agent.begin(['tea', 1]);
    expect(await agent.complete(path).catch(() => null)).to.be.null;
    await shop.died();

    await shop.start();
    await shop.settle();
    expect((await agent.browser.get(path)).body.status).to.equal('ready_for_complete');
    expect(await shop.charges()).to.deep.equal([]);
    const paid = await agent.complete(path);
    expect(paid.body.status, paid.text).to.equal('completed');
    const { invoices, sales, problems } = await shop.audit({ paidInvoices: [paid.body.order.id] });
    expect({ invoices, sales, problems }).to.deep.equal({ invoices: 1, sales: 1, problems: [] });
  });
});
