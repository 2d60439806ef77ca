import { expect } from 'chai';
import { giveAddresses } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, type Shopper } from '#test/support/shop.ts';

describe('the uses of a discount', () => {
  let shop: TestShop;
  let mug: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const ready = async (email: string, code: string): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug, 1, email);
    await shopper.applyCode(code);
    return shopper;
  };
  const shown = async (id: string): Promise<number> => {
    await shop.settle();
    return (await shop.admin.get(`/backoffice/api/v1/discounts/${id}`)).body.usageCount as number;
  };
  const usesWritten = async () =>
    (await eventsIn(shop)).filter(({ type }) => type.startsWith('DiscountUse')).map(({ type }) => type);

  it('of one without limits are written nowhere', async () => {
    await shop.rule('FREELY', { method: 'Code', code: 'FREELY' });
    const before = await usesWritten();
    const shopper = await ready('freely@example.com', 'FREELY');
    await shopper.payWith((await shopper.pay()).body.invoiceId);
    expect(await usesWritten()).to.deep.equal(before);
  });

  it('are counted with the rule and with the customer, and stand once the sale is confirmed', async () => {
    const id = await shop.rule('BOTH', {
      method: 'Code',
      code: 'BOTH',
      totalUsageLimit: 5,
      perCustomerUsageLimit: 1,
    });
    const before = (await usesWritten()).length;
    const shopper = await ready('both@example.com', 'BOTH');
    const placed = await shopper.pay();
    await shopper.payWith(placed.body.invoiceId);
    expect((await usesWritten()).slice(before)).to.deep.equal([
      'DiscountUseClaimed',
      'DiscountUseClaimed',
      'DiscountUseSettled',
      'DiscountUseSettled',
    ]);
    expect(await shown(id)).to.equal(1);
  });

  it('go back to a customer in whose name the basket is not ordered any more', async () => {
    const id = await shop.rule('ONEEACH', { method: 'Code', code: 'ONEEACH', perCustomerUsageLimit: 1 });
    const shopper = await ready('first@example.com', 'ONEEACH');
    expect((await shopper.pay()).status).to.equal(200);
    await shopper.ask(giveAddresses({ email: 'second@example.com' }));
    expect((await shopper.pay()).status).to.equal(200);
    expect(await shown(id)).to.equal(1);
    const again = await ready('first@example.com', 'ONEEACH');
    expect((await again.pay()).status).to.equal(200);
    const late = shop.shopper();
    await late.prepare(mug, 1, 'second@example.com');
    const { body } = await late.applyCode('ONEEACH');
    expect(body).to.include({ success: false, errorCode: 'CustomerUsageLimitReached' });
    expect(await shown(id)).to.equal(2);
  });
});
