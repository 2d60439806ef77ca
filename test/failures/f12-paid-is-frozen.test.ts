import { expect } from 'chai';
import { add, chooseCurrency, giveAddresses, initialize, pay, payInvoice } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const management = '/backoffice/api/v1';

describe('F12: what is paid is frozen', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('stays as it was sold, whatever becomes of rule, tax and price: only the edited line moves, by its own', async () => {
    const mug = await shop.sell('mug', { price: 10, stock: 100 });
    const tea = await shop.sell('tea', { price: 4, stock: 100 });
    const ruleId = await shop.rule('Ten off', { value: 10 });
    const shopper = shop.shopper();
    await shopper.add(tea, 1);
    await shopper.prepare(mug, 2);
    const invoiceId = (await shopper.pay()).body.invoiceId as string;
    await shopper.payWith(invoiceId);
    const at = (path: string) => `${management}/orders/${invoiceId}${path}`;
    const before = (await shop.admin.get(at('/edit'))).body;

    await shop.admin.post(`${management}/discounts/${ruleId}/deactivate`, {});
    const groups = (await shop.admin.get(`${management}/tax-groups`)).body.items;
    for (const { id } of groups) {
      const rates = [{ countryCode: 'GB', regionCode: null, taxPercentage: 50 }];
      await shop.admin.put(`${management}/tax-groups/${id}`, { taxPercentage: 50, rates });
    }
    await shop.admin.post(at('/notes'), { text: 'Called' });
    await shop.admin.put(at('/billing-address'), { name: 'Ada King' });
    const same = (await shop.admin.get(at('/edit'))).body;
    expect(same).to.deep.equal(before);

    const [line] = before.orders[0].lineItems;
    const edited = await shop.admin.put(at('/edit'), {
      version: 0,
      lineItems: [{ id: line.id, quantity: line.quantity + 1 }],
    });
    expect(edited.status).to.equal(200);
    const { invoice } = edited.body;
    const after = invoice.orders[0].lineItems;
    expect(after[0]).to.include({
      unitPrice: line.unitPrice,
      taxRate: 20,
      lineTotal: line.unitPrice * (line.quantity + 1),
    });
    expect(after[1]).to.deep.equal(before.orders[0].lineItems[1]);
    const off = invoice.subTotal * 0.1;
    expect(invoice.discountTotal).to.be.closeTo(off, 0.005);
    expect(invoice.balanceDue).to.be.closeTo(invoice.total - before.total, 0.005);
  });

  it('stays at its exchange rate: what is edited, and what is added, goes by the rate of the order', async () => {
    const setRates = async (rates: object): Promise<void> => {
      const path = `${management}/exchange-rate-providers/manual/settings`;
      expect((await shop.admin.put(path, { configuration: { rates } })).status).to.equal(200);
      await shop.settle();
    };
    const pen = await shop.sell('pen', { price: 20, stock: 100 });
    const ink = await shop.sell('ink', { price: 4, stock: 100 });
    await setRates({ EUR: 0.5 });
    const shopper = shop.shopper();
    for (const step of [add(pen), chooseCurrency({ currencyCode: 'EUR' }), giveAddresses(), initialize()])
      expect((await shopper.ask(step)).status).to.equal(200);
    const { invoiceId } = (await shopper.ask(pay())).body;
    await shopper.ask(payInvoice(invoiceId));
    await setRates({ EUR: 0.9 });
    const at = (path: string) => `${management}/orders/${invoiceId}${path}`;
    const before = (await shop.admin.get(at('/edit'))).body;
    await shop.admin.post(at('/notes'), { text: 'Called' });
    await shop.admin.put(at('/billing-address'), { name: 'Ada King' });
    expect((await shop.admin.get(at('/edit'))).body).to.deep.equal(before);

    const [line] = before.orders[0].lineItems;
    const change = {
      lineItems: [{ id: line.id, quantity: 2 }],
      productsToAdd: [{ productId: ink, quantity: 2 }],
    };
    const seen = (await shop.admin.post(at('/preview-edit'), change)).body;
    expect(seen).to.include({ currencyCode: 'EUR', pricingExchangeRate: 2, subTotal: 24 });
    const { invoice } = (await shop.admin.put(at('/edit'), change)).body;
    const lines: readonly Record<string, unknown>[] = invoice.orders[0].lineItems;
    expect(
      lines.map(({ lineTotal, lineTotalInStoreCurrency }) => [lineTotal, lineTotalInStoreCurrency]),
    ).to.deep.equal([
      [20, 40],
      [4, 8],
    ]);
    expect(invoice.shippingTotal).to.equal(before.shippingTotal);
  });
});
