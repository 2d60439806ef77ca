import { expect } from 'chai';
import type { Document } from '#kernel/projection.ts';
import { customerNamed } from '#test/support/account-customers.ts';
import { buyerAt, type Buyer } from '#test/support/buying-shop.ts';
import { useMortalShop, type RowDeath } from '#test/support/mortal-shop.ts';
import { manage } from '#test/support/requests.ts';
import type { Death } from '#test/support/shop-process.ts';

/** Each event and row on the way from the question to the last of it. */
const deaths: readonly (Death | RowDeath)[] = [
  ...[
    'CustomerForgettingStarted',
    'PaymentMethodRemoved',
    'PaymentMethodsForgotten',
    'AddressBookClosed',
    'ClaimReleased',
    'CustomerForgotten',
    'BasketForgotten',
    'InvoiceForgotten',
  ].flatMap((eventType) => [{ when: 'before', eventType } as const, { when: 'after', eventType } as const]),
  { when: 'before', rowIn: 'subjectKeys' },
  { when: 'after', rowIn: 'subjectKeys' },
  { when: 'before', rowIn: 'snapshots' },
  { when: 'after', rowIn: 'snapshots' },
];

interface KeyRow extends Document {
  readonly wrapped: string | null;
  readonly customerId: string | null;
}

/** docs/rules/forgetting.md#steps */
describe('a shop that is killed while it forgets a customer', () => {
  const at = useMortalShop();

  const forget = (customerId: string) => manage.post(`/customers/${customerId}/forget`);
  const bought = async (): Promise<Buyer & { readonly customerId: string }> => {
    const tea = await at.shop.sell('tea', { price: 10 });
    const buyer = await buyerAt(at.shop, tea);
    return { ...buyer, customerId: await customerNamed(at.shop, buyer.email) };
  };
  const isForgotten = async ({
    customerId,
    customer,
    email,
    invoiceId,
  }: Awaited<ReturnType<typeof bought>>) => {
    await at.shop.settle();
    expect((await at.shop.admin.ask(manage.get(`/customers/${customerId}`))).status).to.equal(404);
    const order = await at.shop.shown(`/orders/${invoiceId}`);
    expect(order).to.include({ customerEmail: null, paymentStatus: 'Paid' });
    expect((await customer.signIn(email)).body.success).to.equal(false);
    const rows = await at.shop.engines.stateStore.find<KeyRow>('subjectKeys', { limit: 1000 });
    const theirs = rows.filter((row) => row._id === customerId || row.customerId === customerId);
    expect(theirs.length).to.be.greaterThan(1);
    for (const row of theirs) expect(row.wrapped, row._id).to.equal(null);
    const again = await at.shop.admin.ask(forget(customerId));
    expect(again.body, again.text).to.include({ status: 'Forgotten' });
  };

  for (const death of deaths) {
    const what = 'eventType' in death ? death.eventType : `a row of ${death.rowIn}`;
    it(`${death.when} ${what}, goes on by itself until nothing of them is left`, async () => {
      const buyer = await bought();
      if ('eventType' in death) at.shop.dieNext(death);
      else await at.shop.live(death);
      await at.shop.killedBy(at.shop.admin.ask(forget(buyer.customerId)));
      const begun = await at.shop.admin.ask(manage.get(`/customers/${buyer.customerId}`));
      // Where it had not begun, the customer is asked for once more.
      if (begun.status === 200) await at.shop.admin.ask(forget(buyer.customerId));
      await isForgotten(buyer);
      expect(await at.shop.soundSales()).to.equal(1);
    });
  }
});
