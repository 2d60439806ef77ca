import { expect } from 'chai';
import { customerOnAccount, giveTerms } from '#test/support/account-customers.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';

const DAY = 86_400_000;
const HOUR_SECONDS = 3600;

describe('The due date of an order', () => {
  let opened: MemberShop;
  let mugId: string;
  let people = 0;
  before(async () => {
    opened = await openMemberShop();
    mugId = await opened.shop.sell('MUG', { price: 10 });
  });
  after(() => opened.close());

  const emailOfNext = (): string => `buyer${++people}@example.com`;
  const seen = async ({ invoiceId }: ApiResponse['body']): Promise<ApiResponse['body']> => {
    await opened.shop.settle();
    return (await opened.shop.admin.ask(manage.get(`/orders/${invoiceId}`))).body;
  };
  const daysAfter = ({ dateCreated, dueDate }: ApiResponse['body']): number =>
    (Date.parse(dueDate) - Date.parse(dateCreated)) / DAY;

  it('is as many days after it as the terms of the customer who is signed in say', async () => {
    const { shopper } = await customerOnAccount(opened, emailOfNext(), mugId, { paymentTermsDays: 14 });
    const order = await seen((await shopper.pay()).body);
    expect(daysAfter(order)).to.equal(14);
    // Nobody owes what nobody has bought yet.
    expect(order).to.include({ isOverdue: false, daysUntilDue: null });
  });

  it('is nothing to guests, not even with the e-mail address of a customer who has terms', async () => {
    const email = emailOfNext();
    await customerOnAccount(opened, email, mugId);
    const guest = opened.customer();
    await guest.prepare(mugId, 1, email);
    expect((await seen((await guest.pay()).body)).dueDate).to.equal(null);
  });

  it('is none where the customer has no terms, or terms that name no days', async () => {
    const { shopper, customerId } = await customerOnAccount(opened, emailOfNext(), mugId, {
      hasAccountTerms: false,
    });
    expect((await seen((await shopper.pay()).body)).dueDate).to.equal(null);
    await giveTerms(opened.shop, customerId, { hasAccountTerms: true, clearPaymentTermsDays: true });
    await shopper.add(mugId);
    expect((await seen((await shopper.pay()).body)).dueDate).to.equal(null);
  });

  it('keeps an unpaid order from expiring', async () => {
    const email = emailOfNext();
    const { shopper } = await customerOnAccount(opened, email, mugId);
    const guest = opened.customer();
    await guest.prepare(mugId, 1, emailOfNext());
    const [kept, expired] = [(await shopper.pay()).body, (await guest.pay()).body];
    // The job goes by what it has read of the log.
    await opened.shop.settle();
    await opened.shop.tester.post('/testing/clock', { advanceSeconds: 48 * HOUR_SECONDS });
    await opened.shop.tester.post('/testing/jobs/release-reservations');
    expect((await seen(kept)).isCancelled).to.equal(false);
    expect((await seen(expired)).isCancelled).to.equal(true);
    await shopper.signIn(email);
    expect((await shopper.payWith(kept.invoiceId)).body).to.include({ success: true, status: 'Completed' });
  });
});
