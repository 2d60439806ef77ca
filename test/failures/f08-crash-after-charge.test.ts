import { expect } from 'chai';
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
});
