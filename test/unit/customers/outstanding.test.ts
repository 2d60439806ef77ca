import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import { customerEvents, type CustomerDetails } from '#events/customer.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { ada, registered } from '#test/support/builders/customer.ts';
import { given, inContext } from '#test/support/given.ts';

const { CustomerChanged, CustomerCreditClaimed, CustomerOutstandingChanged, CustomerTermsChanged } =
  customerEvents.create;

const at = '2026-03-01T23:30:00.000Z';
const soldAt = at;
const inBerlin = inContext(customerDecider, {
  at,
  timeZone: 'Europe/Berlin',
  unpaidInvoices: 0,
  isSegment: () => true,
});

const withTerms = (terms: Partial<CustomerDetails> = {}) =>
  registered({ hasAccountTerms: true, paymentTermsDays: 30, creditLimit: 10_000, ...terms });

const claim = (invoice: string, amount: number): CustomerCommand => ({
  type: 'ClaimCredit',
  invoiceId: idNamed(invoice),
  amount,
  soldAt,
});
const owes = (
  invoice: string,
  amount: number,
  asOf: number,
  dueDate: string | null = null,
): CustomerCommand => ({ type: 'SetOutstanding', invoiceId: idNamed(invoice), amount, asOf, dueDate });
const changed = (invoice: string, amountBefore: number, amount: number, rest: object) =>
  CustomerOutstandingChanged({
    invoiceId: idNamed(invoice),
    amount,
    amountBefore,
    hasAccountTerms: true,
    creditLimit: 10_000,
    outstanding: amount,
    openInvoices: 1,
    dueDay: null,
    asOf: 1,
    at,
    ...rest,
  });

// docs/rules/account-terms.md#outstanding
describe('what a customer owes', () => {
  it('grows by claimed credit, due on a day in the shop’s time zone', () => {
    given(inBerlin, [withTerms()])
      .when(claim('mug', 3400))
      .then([
        CustomerCreditClaimed({
          ...{ invoiceId: idNamed('mug'), amount: 3400, outstanding: 3400, openInvoices: 1 },
          // 23:30 in London is tomorrow in Berlin.
          ...{ dueDay: '2026-04-01', hasAccountTerms: true, creditLimit: 10_000, at },
        }),
      ]);
  });

  it('grows by a sale without claimed credit, even beyond the limit, and leaves less credit', () => {
    const manual = given(inBerlin, [withTerms({ creditLimit: 5000 })]).after(
      owes('manual', 4000, 1, '2026-03-31T22:30:00.000Z'),
    );
    manual
      .when(owes('another', 2000, 1))
      .then([changed('another', 0, 2000, { outstanding: 6000, openInvoices: 2, creditLimit: 5000 })]);
    manual.when(claim('mug', 1001)).thenRefused('credit-limit-exceeded');
    manual
      .when(claim('mug', 1000))
      .thenLike(['CustomerCreditClaimed', { outstanding: 5000, openInvoices: 2 }]);
  });

  it('is also known for customers without account terms', () => {
    given(inBerlin, [registered()])
      .when(owes('manual', 4000, 1))
      .thenLike(['CustomerOutstandingChanged', { outstanding: 4000, hasAccountTerms: false, dueDay: null }]);
  });

  it('follows payments, and keeps its first due day', () => {
    given(inBerlin, [withTerms()])
      .after(claim('mug', 3400))
      .when(owes('mug', 1400, 7, '2026-06-01T00:00:00.000Z'))
      .then([changed('mug', 3400, 1400, { asOf: 7, dueDay: '2026-04-01' })]);
  });

  it('is not raised again by a late message from before the payment', () => {
    const paid = given(inBerlin, [withTerms()]).after(owes('manual', 4000, 2), owes('manual', 0, 5));
    paid.when(owes('manual', 4000, 4)).thenNothing();
    paid.when(owes('manual', 500, 9)).thenLike(['CustomerOutstandingChanged', { outstanding: 500 }]);
    // It had never heard of the invoice when it was told that it is paid.
    given(inBerlin, [withTerms()])
      .after(owes('edited', 0, 5))
      .when(owes('edited', 4000, 4))
      .thenNothing();
  });

  it('releases the credit of a failed order, whose invoice may still be owed later', () => {
    const released = given(inBerlin, [withTerms()]).after(claim('mug', 3400), {
      type: 'ReleaseCredit',
      invoiceId: idNamed('mug'),
    });
    released.when({ type: 'ReleaseCredit', invoiceId: idNamed('mug') }).thenNothing();
    released.when(owes('mug', 300, 12)).thenLike(['CustomerOutstandingChanged', { outstanding: 300 }]);
  });

  it('is owed on account as soon as the customer gets terms', () => {
    const owing = given(inBerlin, [registered()]).after(owes('manual', 4000, 1));
    const terms = { hasAccountTerms: true };
    owing
      .when({ type: 'ChangeCustomer', changes: terms })
      .then([
        CustomerChanged({ ...ada, ...terms, tagsGained: [], tagsLost: [], at }),
        CustomerTermsChanged({ ...terms, invoiceIds: [idNamed('manual')] }),
      ]);
    owing.when({ type: 'ChangeCustomer', changes: { creditLimit: 5 } }).thenLike(['CustomerChanged']);
  });
});
