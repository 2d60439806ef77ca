import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';
import { Customer } from '#test/support/member-shop.ts';
import { clearBasket, pay, payByHand, post } from '#test/support/requests.ts';

/** A mug with its shipping and tax, in the shop of tests. */
const TOTAL = 17;
const email = 'ada@example.com';

/** docs/rules/purchase-orders.md#credit */
describe('Two purchase orders at two replicas of the command service', () => {
  it('that fit the credit limit only singly: one passes, and both replicas know what is owed', async () => {
    const shop = await DistributedShop.open({ engines: sharedMemory().open, replicas: { command: 2 } });
    try {
      const mug = await shop.sell('mug', { price: 10 });
      const opened = { shop, customer: () => new Customer(shop.base) };
      const { shopper } = await customerOnAccount(opened, email, mug, { creditLimit: TOTAL * 2 - 1 });
      const invoices: string[] = [];
      for (let order = 0; order < 2; order++) {
        await shopper.ask(clearBasket());
        await shopper.prepare(mug, 1, email);
        invoices.push(
          (await shopper.ask(pay({ providerAlias: 'purchaseorder', methodAlias: null }))).body.invoiceId,
        );
      }
      const doors = shop.replicas('command').map(({ at }) => {
        const door = new Customer(at.base);
        for (const [name, value] of shopper.cookies) door.cookies.set(name, value);
        return door;
      });
      expect(doors).to.have.length(2);
      const answers = await Promise.all(
        doors.map((door, index) =>
          door.ask(
            payByHand({
              providerAlias: 'purchaseorder',
              invoiceId: invoices[index],
              formData: { purchaseOrderNumber: `PO ${index}` },
            }),
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      for (const door of doors) {
        const { body } = await door.ask(post('/api/shop/checkout/credit-check', { email }));
        expect(body).to.include({ outstandingBalance: TOTAL, creditLimitExceeded: false });
      }
    } finally {
      await shop.close();
    }
  });
});
