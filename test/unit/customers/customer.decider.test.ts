import { expect } from 'chai';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider } from '#command/contexts/customers/customer.decider.ts';
import { previousSaleDay } from '#command/contexts/customers/customer.state.ts';
import { customerEvents } from '#events/customer.events.ts';
import { given } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const { CustomerAcceptedMarketing, CustomerRegistered, CustomerSaleRecorded } = customerEvents.create;

const ada = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', acceptsMarketing: false };
const register = (changes: Partial<typeof ada> = {}): CustomerCommand => ({
  type: 'RegisterCustomer',
  ...ada,
  ...changes,
});
const sale = (name: string, businessDay: string): CustomerCommand => ({
  type: 'RecordCustomerSale',
  invoiceId: idNamed(name),
  businessDay,
});
const recorded = (name: string, businessDay: string, before: string | null) =>
  CustomerSaleRecorded({ invoiceId: idNamed(name), businessDay, previousSaleDay: before });

describe('a customer', () => {
  it('is registered once', () => {
    given(customerDecider)
      .when(register())
      .then([CustomerRegistered(ada)]);
    given(customerDecider, [CustomerRegistered(ada)])
      .when(register({ lastName: 'King' }))
      .thenNothing();
  });

  it('can agree to marketing later, and does not take it back by leaving it out', () => {
    const agreed = [CustomerRegistered(ada), CustomerAcceptedMarketing({})];
    given(customerDecider, [CustomerRegistered(ada)])
      .when(register({ acceptsMarketing: true }))
      .then([CustomerAcceptedMarketing({})]);
    given(customerDecider, agreed)
      .when(register({ acceptsMarketing: true }))
      .thenNothing();
    given(customerDecider, agreed).when(register()).thenNothing();
  });

  it('remembers each sale once, with the day of the one before', () => {
    const known = [CustomerRegistered(ada)];
    given(customerDecider, known)
      .when(sale('first', '2026-03-01'))
      .then([recorded('first', '2026-03-01', null)]);
    const bought = [...known, recorded('first', '2026-03-01', null)];
    given(customerDecider, bought).when(sale('first', '2026-03-01')).thenNothing();
    given(customerDecider, bought)
      .when(sale('second', '2026-03-04'))
      .then([recorded('second', '2026-03-04', '2026-03-01')]);
  });

  it('keeps the latest day when an older invoice is paid late', () => {
    const bought = [
      CustomerRegistered(ada),
      recorded('new', '2026-03-04', null),
      recorded('old', '2026-03-01', '2026-03-04'),
    ];
    given(customerDecider, bought)
      .when(sale('next', '2026-03-05'))
      .then([recorded('next', '2026-03-05', '2026-03-04')]);
  });

  it('tells a repeat the same day as the first time', () => {
    const state = given(customerDecider, [
      CustomerRegistered(ada),
      recorded('first', '2026-03-01', null),
      recorded('second', '2026-03-04', '2026-03-01'),
    ]).state();
    expect(previousSaleDay(state, idNamed('first'))).to.equal(null);
    expect(previousSaleDay(state, idNamed('second'))).to.equal('2026-03-01');
  });

  it('must be known to buy', () => {
    given(customerDecider).when(sale('first', '2026-03-01')).thenRefused('customer-not-found');
  });
});
