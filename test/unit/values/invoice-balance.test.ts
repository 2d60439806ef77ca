import { expect } from 'chai';
import { beyondCredit, closedBalance, invoiceBalance } from '#values/invoice-balance.ts';

describe('the balance of an invoice', () => {
  it('of nothing is Paid', () => {
    expect(invoiceBalance(0, 0, 0).paymentStatus).to.equal('Paid');
  });

  it('says what came in, what went out and what is due', () => {
    expect(invoiceBalance(100, 120, 30, 10)).to.deep.equal({
      amountPaid: 120,
      amountRefunded: 30,
      balanceDue: 0,
      creditDue: 0,
      givenBack: 10,
      paymentStatus: 'PartiallyRefunded',
    });
  });

  it('is never made due again by a refund, whatever was paid before', () => {
    for (const paid of [40, 100, 120, 250]) {
      const before = invoiceBalance(100, paid, 0);
      for (let refund = 1; refund <= paid; refund++) {
        const after = invoiceBalance(100, paid, refund, beyondCredit(before, refund));
        expect(after.balanceDue).to.equal(before.balanceDue);
        expect(after.creditDue).to.equal(Math.max(0, before.creditDue - refund));
      }
    }
  });

  it('of a closed one is what the shop still has of the money', () => {
    for (const [paid, refunded] of [
      [0, 0],
      [100, 0],
      [100, 30],
      [100, 100],
      [120, 50],
    ] as const) {
      const givenBack = beyondCredit(invoiceBalance(100, paid, 0), refunded);
      const { balanceDue, creditDue, givenBack: left } = closedBalance(100, paid, refunded, givenBack);
      expect([balanceDue, creditDue, left]).to.deep.equal([0, paid - refunded, 0]);
    }
  });
});
