import { expect } from 'chai';
import { giveAddresses, manage, takeOffDiscount } from '#test/support/requests.ts';
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

  it('of one without limits are written nowhere, and counted from confirmed sales', async () => {
    const id = await shop.rule('FREELY', { method: 'Code', code: 'FREELY' });
    const before = await usesWritten();
    const shopper = await ready('freely@example.com', 'FREELY');
    const { invoiceId } = (await shopper.pay()).body;
    expect(await shown(id)).to.equal(0);
    await shopper.payWith(invoiceId);
    expect(await usesWritten()).to.deep.equal(before);
    expect(await shown(id)).to.equal(1);
    await shop.admin.ask(manage.put(`/discounts/${id}`, { value: 20 }));
    expect(await shown(id)).to.equal(1);
  });

  it('are reported with what they took off and what was bought', async () => {
    const id = await shop.rule('REPORT', { method: 'Code', code: 'REPORT', value: 10, totalUsageLimit: 9 });
    const read = async (path: string) => {
      await shop.settle();
      return (await shop.admin.ask(manage.get(`/discounts/${path}`))).body;
    };
    const nothing = {
      totalUsageCount: 0,
      totalDiscountAmount: 0,
      totalOrderRevenue: 0,
      firstUsed: null,
      lastUsed: null,
      uniqueCustomersCount: 0,
      remainingUses: 9,
      averageDiscountPerUse: 0,
      averageOrderValue: 0,
      usageByDate: [],
    };
    expect(await read(`${id}/performance`)).to.deep.equal(nothing);
    for (const email of ['r1@example.com', 'r2@example.com', 'r1@example.com']) {
      const shopper = await ready(email, 'REPORT');
      await shopper.payWith((await shopper.pay()).body.invoiceId);
    }
    // 10.00 less 1.00 with 20 % tax, and 5.00 for the parcel.
    const total = 15.8;
    const found = await read(`${id}/performance`);
    expect(found).to.deep.include({
      totalUsageCount: 3,
      uniqueCustomersCount: 2,
      remainingUses: 6,
      totalDiscountAmount: 3,
      averageDiscountPerUse: 1,
      averageOrderValue: total,
    });
    expect(found.totalOrderRevenue).to.be.closeTo(3 * total, 0.001);
    expect(found.usageByDate).to.have.length(1);
    expect(found.usageByDate[0]).to.include({ usageCount: 3, discountAmount: 3 });
    const { items } = await read('usage-report?sortBy=totalUsageCount');
    expect(items[0]).to.deep.include({
      id,
      name: 'REPORT',
      code: 'REPORT',
      totalUsageCount: 3,
      totalDiscountAmount: 3,
    });
    expect((await shop.admin.ask(manage.get(`/discounts/${mug}/performance`))).status).to.equal(404);
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

  it('are taken over by a rule that gains limits, per customer too, before the limits hold', async () => {
    const id = await shop.rule('LATE', { method: 'Code', code: 'LATE' });
    for (const email of ['ada@example.com', 'ada@example.com', 'eve@example.com']) {
      const shopper = await ready(email, 'LATE');
      await shopper.payWith((await shopper.pay()).body.invoiceId);
    }
    const unpaid = await ready('bob@example.com', 'LATE');
    expect((await unpaid.pay()).status).to.equal(200);
    const limit = (limits: object) => shop.admin.ask(manage.put(`/discounts/${id}`, limits));

    await limit({ totalUsageLimit: 4, perCustomerUsageLimit: 2 });
    expect(await shown(id)).to.equal(4);
    const apply = async (email: string) => {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 1, email);
      return (await shopper.applyCode('LATE')).body.errorCode as string | undefined;
    };
    expect(await apply('new@example.com')).to.equal('UsageLimitReached');
    await limit({ totalUsageLimit: 9 });
    expect(await apply('ada@example.com')).to.equal('CustomerUsageLimitReached');
    expect(await apply('eve@example.com')).to.equal(undefined);
    expect(await apply('bob@example.com')).to.equal(undefined);
    expect(await shown(id)).to.equal(4);

    // What is bought now is claimed, and counted once more by nobody.
    const claimed = await ready('eve@example.com', 'LATE');
    await claimed.payWith((await claimed.pay()).body.invoiceId);
    await limit({ totalUsageLimit: null, perCustomerUsageLimit: null });
    await limit({ totalUsageLimit: 9 });
    expect(await shown(id)).to.equal(5);

    // Nobody has paid in time: the use goes back.
    await shop.tester.post('/testing/clock', { advanceSeconds: 7200 });
    await shop.tester.post('/testing/jobs/release-reservations');
    expect(await shown(id)).to.equal(4);
  });

  const sell = async (email: string, code: string): Promise<string> => {
    const shopper = await ready(email, code);
    const { invoiceId } = (await shopper.pay()).body;
    await shopper.payWith(invoiceId);
    return invoiceId as string;
  };
  const cancel = async (invoiceId: string): Promise<void> => {
    const asked = manage.post(`/orders/${invoiceId}/cancel`, { reason: 'Not wanted' });
    expect((await shop.admin.ask(asked)).status).to.equal(200);
  };
  const remove = async (invoiceId: string): Promise<void> => {
    const { body } = await shop.admin.ask(manage.post('/orders/delete', { ids: [invoiceId] }));
    expect(body).to.include({ deletedCount: 1 });
  };

  for (const limits of [{}, { totalUsageLimit: 9, perCustomerUsageLimit: 9 }]) {
    const code = `SOLD${Object.keys(limits).length}`;
    it(`of a sale that is cancelled or deleted go back, once, of a rule with ${JSON.stringify(limits)}`, async () => {
      const id = await shop.rule(code, { method: 'Code', code, ...limits });
      const sold = [];
      for (let sale = 0; sale < 4; sale++) sold.push(await sell('sold@example.com', code));
      const [cancelled = '', deleted = '', both = ''] = sold;
      expect(await shown(id)).to.equal(4);
      await cancel(cancelled);
      await cancel(cancelled);
      expect(await shown(id)).to.equal(3);
      await remove(deleted);
      expect(await shown(id)).to.equal(2);
      await cancel(both);
      await remove(both);
      expect(await shown(id)).to.equal(1);

      // 10.00 less 1.00 with 20 % tax, and 5.00 for the parcel.
      const { body } = await shop.admin.ask(manage.get(`/discounts/${id}/performance`));
      expect(body).to.deep.include({
        totalUsageCount: 1,
        totalDiscountAmount: 1,
        totalOrderRevenue: 15.8,
        uniqueCustomersCount: 1,
      });

      await shop.admin.ask(manage.put(`/discounts/${id}`, { totalUsageLimit: 2, perCustomerUsageLimit: 2 }));
      expect(await shown(id), 'with a rule that gains limits too').to.equal(1);
      const again = await sell('sold@example.com', code);
      expect(await shown(id)).to.equal(2);
      const late = await ready('sold@example.com', '');
      expect((await late.applyCode(code)).body.errorCode).to.match(/UsageLimitReached$/);
      await cancel(again);
      await shop.settle();
      expect((await late.applyCode(code)).body.errorCode, 'the customer has it again').to.equal(undefined);
    });
  }

  it('of a rule whose every sale is cancelled leave nothing in its performance', async () => {
    const id = await shop.rule('GONE', { method: 'Code', code: 'GONE', totalUsageLimit: 3 });
    await cancel(await sell('gone@example.com', 'GONE'));
    expect(await shown(id)).to.equal(0);
    const { body } = await shop.admin.ask(manage.get(`/discounts/${id}/performance`));
    expect(body).to.deep.include({
      totalUsageCount: 0,
      totalDiscountAmount: 0,
      totalOrderRevenue: 0,
      uniqueCustomersCount: 0,
      remainingUses: 3,
      usageByDate: [],
    });
  });

  it('that were taken over stay with their basket while it has the discount, and go back when it is ordered without', async () => {
    const id = await shop.rule('GAINED', { method: 'Code', code: 'GAINED' });
    const [bob, cleo] = [
      await ready('bob2@example.com', 'GAINED'),
      await ready('cleo2@example.com', 'GAINED'),
    ];
    for (const shopper of [bob, cleo]) expect((await shopper.pay()).status).to.equal(200);
    await shop.admin.ask(manage.put(`/discounts/${id}`, { totalUsageLimit: 2, perCustomerUsageLimit: 1 }));
    expect(await shown(id)).to.equal(2);

    // The last two uses are theirs: with more in the basket they keep the discount, and count once.
    for (const shopper of [bob, cleo]) {
      expect((await shopper.add(mug)).body).to.include({ discount: 2 });
      expect((await shopper.pay()).status).to.equal(200);
    }
    expect(await shown(id)).to.equal(2);

    const dan = await ready('dan2@example.com', '');
    expect((await dan.applyCode('GAINED')).body.errorCode).to.equal('UsageLimitReached');
    await bob.ask(takeOffDiscount(id));
    expect((await bob.pay()).status).to.equal(200);
    expect(await shown(id)).to.equal(1);
    expect((await dan.applyCode('GAINED')).status).to.equal(200);
    const again = await ready('bob2@example.com', 'GAINED');
    expect((await again.basket()).body).to.include({ discount: 1 });
  });

  it('that were taken over go back at once when the basket is ordered without the discount, or by another customer', async () => {
    const id = await shop.rule('GOES', { method: 'Code', code: 'GOES' });
    const [bob, cleo] = [await ready('bob3@example.com', 'GOES'), await ready('cleo3@example.com', 'GOES')];
    for (const shopper of [bob, cleo]) expect((await shopper.pay()).status).to.equal(200);
    await shop.admin.ask(manage.put(`/discounts/${id}`, { totalUsageLimit: 2, perCustomerUsageLimit: 1 }));
    await bob.ask(takeOffDiscount(id));
    await cleo.ask(giveAddresses({ email: 'cleo4@example.com' }));
    for (const shopper of [bob, cleo]) expect((await shopper.pay()).status).to.equal(200);
    expect(await shown(id)).to.equal(1);
    for (const email of ['bob3@example.com', 'cleo3@example.com', 'cleo4@example.com']) {
      const shopper = await ready(email, 'GOES');
      const takes = email !== 'cleo4@example.com';
      expect((await shopper.basket()).body, email).to.include({ discount: takes ? 1 : 0 });
    }
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
