import { expect } from 'chai';
import { isAuthorized, isKnown, isPaidInFull } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { RecordAuthorization } from '#command/contexts/invoices/payments/authorization.commands.ts';
import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { editCommand } from '#test/support/builders/edit.ts';
import { decidedAt, invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { given, inContext } from '#test/support/given.ts';

const mugs = invoice('mugs');
const rules = inContext(invoiceDecider, decidedAt('2026-03-01T09:05:00.000Z', { invoiceId: mugs.id }));
const held = (transactionId: string, amount: number): RecordAuthorization => ({
  type: 'RecordAuthorization',
  provider: 'stripe',
  transactionId,
  sessionId: null,
  amount,
  currency: 'GBP',
  expiresAt: '2026-03-08T09:05:00.000Z',
});
const edit = (wanted: Partial<InvoiceEdit>) => editCommand(twoMugs(), wanted);
const mugsOf = (quantity: number): Partial<InvoiceEdit> => ({
  lineItems: [{ id: idNamed('line order'), quantity, shouldReturnToStock: true }],
});
const toNothing = edit({
  orderDiscounts: [{ type: 'Free', value: 0, name: null, reason: null, isVisibleToCustomer: false }],
  orderShippingUpdates: [{ orderId: idNamed('order'), shippingCost: 0 }],
});

const placed = given(rules, [mugs.placed]);
/** Sold for 26.40, all of which is authorised. */
const sold = placed.after(held('pi_1', 2640), { type: 'ConfirmSale' });
const [first] = sold.state(isKnown).authorizations;
const firstHold = { paymentId: first?.paymentId ?? expect.fail('nothing is set aside'), by: 'system' };

// docs/rules/authorizations.md#edits
describe('an edit of a sale whose money is authorised', () => {
  it('down to nothing lets the money go, and leaves nothing to pay', () => {
    sold
      .when(toNothing)
      .thenLike(
        ['InvoiceEdited', { 'balance.balanceDue': 0 }],
        ['VoidAttempted', { ...firstHold, by: 'mary' }],
        ['PaymentCaptured', { amount: 0, isSold: true, isOnAccount: true }],
      );
    const free = sold.after(toNothing);
    expect(isPaidInFull(free.state(isKnown))).to.equal(true);
    free.when({ type: 'ConfirmSale' }).thenNothing();
  });

  it('upwards lets the customer pay all of it again, and lets the earlier money go', () => {
    const dearer = sold.after(edit(mugsOf(3)));
    const { balanceDue } = dearer.state(isKnown).balance;
    expect(balanceDue).to.be.above(2640);
    dearer
      .when(held('pi_2', balanceDue))
      .thenLike(['PaymentAuthorized', { amount: balanceDue }], ['VoidAttempted', firstHold]);
    const again = dearer.after(held('pi_2', balanceDue));
    expect(isAuthorized(again.state(isKnown))).to.equal(true);
    again
      .after({ type: 'ReleaseAuthorization', paymentId: firstHold.paymentId, reason: 'voided' })
      .when(held('pi_3', balanceDue))
      .thenLike(['PaymentAuthorized'], ['VoidAttempted', { by: 'system' }]);
  });

  it('upwards keeps two holds that cover it together only', () => {
    const dearer = sold.after(edit(mugsOf(3)));
    dearer.when(held('pi_2', 2640)).thenLike(['PaymentAuthorized', { amount: 2640 }]);
    expect(isAuthorized(dearer.after(held('pi_2', 2640)).state(isKnown))).to.equal(true);
  });

  it('down to what is set aside announces the sale', () => {
    const short = placed.after(held('pi_1', 2000));
    const cheaper = edit(mugsOf(1));
    short.when(cheaper).thenLike(['InvoiceEdited', { isPaid: true }]);
    short.after(cheaper).when({ type: 'ConfirmSale' }).thenLike(['OrderStatusChanged'], ['SaleConfirmed']);
  });

  it('leaves one on account as it is: nothing is paid', () => {
    const onAccount = given(rules, [mugs.placed, mugs.confirmed()]);
    onAccount.when(toNothing).thenLike(['InvoiceEdited', { 'balance.balanceDue': 0 }]);
  });
});
