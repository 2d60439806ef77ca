import { expect } from 'chai';
import { customerOnAccount } from '#test/support/account-customers.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { manage, payByHand } from '#test/support/requests.ts';
import { heard } from '#test/support/owners-hooks.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const DAY_SECONDS = 86_400;
const hooksFile = new URL('../../support/owners-hooks.ts', import.meta.url).pathname;
const onAccount = (purchaseOrderNumber: string) =>
  payByHand({ providerAlias: 'purchaseorder', formData: { purchaseOrderNumber } });

// docs/rules/account-terms.md#reminders
describe('The job invoice-reminders', () => {
  let opened: MemberShop;
  before(async () => {
    opened = await openMemberShop({ environment: { HOOKS_FILE: hooksFile, Store__name: 'Mugs & Co' } });
  });
  after(() => opened.close());

  const run = async () => {
    await opened.shop.settle();
    return (await opened.shop.tester.post('/testing/jobs/invoice-reminders')).body;
  };
  const daysLater = (days: number) =>
    opened.shop.tester.post('/testing/clock', { advanceSeconds: days * DAY_SECONDS });
  const mailed = async () =>
    (await opened.mails())
      .map(({ to, subject }) => [to, subject])
      .filter(([, subject]) => /^Invoice INV/.test(subject ?? ''));

  it('reminds a customer before an invoice is due and three times after, until it is paid', async () => {
    const mug = await opened.shop.sell('MUG', { price: 10 });
    const { shopper } = await customerOnAccount(opened, 'ada@example.com', mug, { paymentTermsDays: 30 });
    const { invoiceId } = (await shopper.ask(onAccount('PO <4711>'))).body;
    const number = 'INV-0001';
    expect(await run()).to.deep.equal({ reminded: 0, kept: 0, failed: 0 });

    heard.length = 0;
    await daysLater(23);
    expect(await run()).to.deep.equal({ reminded: 1, kept: 0, failed: 0 });
    expect(await run()).to.deep.equal({ reminded: 0, kept: 0, failed: 0 });
    const [mail] = (await opened.mails()).filter(({ subject }) => subject.startsWith(`Invoice ${number}`));
    expect(mail).to.include({ to: 'ada@example.com', subject: `Invoice ${number} of Mugs & Co is due soon` });
    expect(mail?.text).to.match(
      /^Hello .+,\n\nInvoice INV-0001 \(your order PO <4711>\) is due on \d+ \w+ \d{4}, in 7 days\. .*17\.00 is still to be paid\./,
    );
    expect(mail?.html).to.include('PO &lt;4711&gt;').and.include('Mugs &amp; Co');

    for (const days of [7, 1, 7, 7, 7]) {
      await daysLater(days);
      await run();
    }
    const overdue = ['ada@example.com', `Invoice ${number} of Mugs & Co is overdue`];
    expect((await mailed()).slice(1)).to.deep.equal([overdue, overdue, overdue]);
    expect(
      heard.map(({ notification }) => notification).filter((one) => /Remind|Overdue/.test(one)),
    ).to.deep.equal(['InvoiceReminderNotification', ...Array(3).fill('InvoiceOverdueNotification')]);
    const reminders = (await eventsIn(opened.shop)).filter(({ type }) => type === 'InvoiceReminded');
    expect(reminders.map(({ stream }) => stream)).to.deep.equal(Array(4).fill(`invoice-${invoiceId}`));
  });

  it('reminds nobody of what is paid, cancelled, or not due for long', async () => {
    const bowl = await opened.shop.sell('BOWL', { price: 10 });
    const sold = async (email: string, terms: object) => {
      const { shopper } = await customerOnAccount(opened, email, bowl, terms);
      return (await shopper.ask(onAccount('PO 1'))).body.invoiceId as string;
    };
    const paid = await sold('paid@example.com', { paymentTermsDays: 1 });
    const cancelled = await sold('cancelled@example.com', { paymentTermsDays: 1 });
    const { shopper: patient } = await customerOnAccount(opened, 'patient@example.com', bowl, {
      paymentTermsDays: 365,
    });
    await patient.ask(onAccount('PO 2'));
    const { admin } = opened.shop;
    await admin.ask(
      manage.post(`/invoices/${paid}/payments/manual`, { amount: 17, paymentMethod: 'Transfer' }),
    );
    await admin.ask(manage.post(`/orders/${cancelled}/cancel`, { reason: 'A mistake.' }));
    expect(await run()).to.deep.equal({ reminded: 0, kept: 0, failed: 0 });
    await daysLater(30);
    expect(await run()).to.deep.equal({ reminded: 0, kept: 0, failed: 0 });
  });
});
