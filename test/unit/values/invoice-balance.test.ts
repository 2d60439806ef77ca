import { expect } from 'chai';
import { invoiceBalance } from '#values/invoice-balance.ts';

const cases: readonly (readonly [
  paid: number,
  refunded: number,
  status: string,
  due: number,
  credit: number,
])[] = [
  [0, 0, 'Unpaid', 100, 0],
  [40, 0, 'PartiallyPaid', 60, 0],
  [100, 0, 'Paid', 0, 0],
  [120, 0, 'Paid', 0, 20],
  [100, 30, 'PartiallyRefunded', 30, 0],
  [120, 20, 'PartiallyRefunded', 0, 0],
  [100, 100, 'Refunded', 100, 0],
];

describe('the balance of an invoice of 100', () => {
  for (const [paid, refunded, paymentStatus, balanceDue, creditDue] of cases) {
    it(`with ${paid} paid and ${refunded} refunded is ${paymentStatus}`, () => {
      expect(invoiceBalance(100, paid, refunded)).to.deep.equal({
        amountPaid: paid,
        amountRefunded: refunded,
        balanceDue,
        creditDue,
        paymentStatus,
      });
    });
  }

  it('of nothing is Paid', () => {
    expect(invoiceBalance(0, 0, 0).paymentStatus).to.equal('Paid');
  });
});
