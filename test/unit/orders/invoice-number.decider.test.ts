import { expect } from 'chai';
import {
  invoiceNumberDecider,
  NotSearchedFarEnough,
  numberOf,
} from '#command/contexts/orders/numbers/invoice-number.decider.ts';
import { invoiceNumberEvents } from '#events/invoice.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const { InvoiceNumberTaken } = invoiceNumberEvents.create;
const taken = (name: string) => InvoiceNumberTaken({ invoiceId: idNamed(name) });
const take = (name: string, searchedUpTo = -1) =>
  ({ type: 'TakeInvoiceNumber', invoiceId: idNamed(name), searchedUpTo }) as const;

describe('the next invoice number', () => {
  it('is taken once for an invoice', () => {
    given(invoiceNumberDecider, [taken('first')])
      .when(take('second'))
      .then([taken('second')]);
    const both = given(invoiceNumberDecider, [taken('first'), taken('second')]);
    both.when(take('second')).thenNothing();
    expect(numberOf(both.state(), idNamed('second'))).to.equal(2);
  });

  it('is not taken before the caller has searched the forgotten entries for their own', () => {
    const many = given(
      invoiceNumberDecider,
      Array.from({ length: 2000 }, (_, index) => taken(`invoice ${index}`)),
    );
    expect(numberOf(many.state(), idNamed('invoice 0'))).to.equal(null);
    expect(() => many.when(take('late', 998)).events()).to.throw(NotSearchedFarEnough);
    many.when(take('late', 999)).then([taken('late')]);
  });
});
