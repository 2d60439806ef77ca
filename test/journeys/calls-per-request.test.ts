import { expect } from 'chai';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { addAfterwards, buyerAt, offeringRule } from '#test/support/buying-shop.ts';
import { Calls, countedStore } from '#test/support/counted-store.ts';
import { TestShop } from '#test/support/shop.ts';

// On a server each call costs both ends most of a millisecond (docs/architecture.md#reading-what-was-just-written).
describe('A log that others write too is asked', () => {
  const calls = new Calls();
  const products: string[] = [];
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ wrapStore: countedStore(calls) });
    // A mail reads its invoice in its own time, which no shopper waits for.
    for (const { id } of defaultMailConfigurations)
      await shop.admin.post(`/backoffice/api/v1/emails/${id}/toggle`, { isEnabled: false });
    for (const sku of ['CUP', 'POT', 'TRAY']) products.push(await shop.sell(sku, { price: 10, stock: 1000 }));
    // What every process knows after its first sale.
    await buy('first@example.com');
  });
  after(() => shop.close());
  beforeEach(() => calls.forget());

  const expectOk = async (asked: Promise<ApiResponse>): Promise<ApiResponse> => {
    const answer = await asked;
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };

  const buy = async (email: string): Promise<void> => {
    const shopper = shop.shopper();
    for (const product of products) await expectOk(shopper.add(product));
    await expectOk(shopper.basket());
    await expectOk(shopper.giveAddress(email));
    await expectOk(shopper.initialize());
    const { body } = await calls.thenFollows('OrderPlaced', () => expectOk(shopper.pay()));
    const paid = await expectOk(shopper.payWith(body.invoiceId as string));
    expect(paid.body).to.include({ status: 'Completed' });
  };

  it('one append for an add to a basket that this process knows', async () => {
    const shopper = shop.shopper();
    for (const product of products) {
      calls.forget();
      await expectOk(shopper.add(product));
      expect(calls.made).to.deep.equal(['append basket']);
    }
  });

  it('one read for a choice of shipping that stands already, and never for its head', async () => {
    const shopper = shop.shopper();
    for (const product of products) await expectOk(shopper.add(product));
    const { body } = await expectOk(shopper.initialize());
    const [group] = body.shippingGroups as {
      readonly groupId: string;
      readonly selectedShippingOptionId: string;
    }[];
    calls.forget();
    await expectOk(shopper.selectShipping({ [group?.groupId ?? '']: group?.selectedShippingOptionId ?? '' }));
    expect(calls.made).to.deep.equal(['read basket']);
  });

  it('for a purchase of three products, 19 appends in 15 steps, and nothing else', async () => {
    await buy('second@example.com');
    expect({
      appends: calls.count('append'),
      reads: calls.made.filter((call) => call.startsWith('read')),
      heads: calls.count('head'),
      oneAfterAnother: calls.oneAfterAnother,
    }).to.deep.equal({ appends: 19, reads: [], heads: 0, oneAfterAnother: 15 });
  });

  it('seven appends for what is added after a purchase, however long the order is', async () => {
    const saucer = await shop.sell('SAUCER', { price: 4, stock: 10 });
    const { body: rule } = await shop.admin.ask(offeringRule(products[0] ?? '', saucer));
    await shop.settle();
    const { customer, invoiceId, methodId } = await buyerAt(shop, products[0] ?? '');
    await shop.settle();
    calls.forget();
    const wish = { productId: saucer, upsellRuleId: rule.id as string, savedPaymentMethodId: methodId };
    await expectOk(customer.ask(addAfterwards(invoiceId, { ...wish, idempotencyKey: 'one' })));
    expect(calls.count('append')).to.equal(7);
  });
});
