import { expect } from 'chai';
import {
  displayLabel,
  expiryFormatted,
  hasExpired,
  normalBrand,
  type ShownMethod,
} from '#values/saved-method.ts';

const card = (changes: Partial<ShownMethod> = {}): ShownMethod => ({
  methodType: 'Card',
  cardBrand: 'visa',
  last4: '4242',
  expiryMonth: 12,
  expiryYear: 2026,
  billingEmail: null,
  ...changes,
});

// docs/rules/saved-methods.md#shown
describe('A saved payment method', () => {
  for (const [written, brand, label] of [
    ['visa', 'visa', 'Visa ending in 4242'],
    ['MasterCard', 'mastercard', 'Mastercard ending in 4242'],
    ['American Express', 'amex', 'American Express ending in 4242'],
    ['amex', 'amex', 'American Express ending in 4242'],
    ['Girocard', 'girocard', 'Girocard ending in 4242'],
    [null, null, 'Card ending in 4242'],
    ['  ', null, 'Card ending in 4242'],
  ] as const)
    it(`of the brand ${written} is called ${label}`, () => {
      const cardBrand = normalBrand(written);
      expect(cardBrand).to.equal(brand);
      expect(displayLabel(card({ cardBrand }))).to.equal(label);
    });

  for (const [method, label] of [
    [card({ methodType: 'PayPal', billingEmail: 'ada@example.com' }), 'PayPal - ada@example.com'],
    [card({ methodType: 'PayPal' }), 'PayPal'],
    [card({ methodType: 'BankAccount', last4: '6789' }), 'Bank account ending in 6789'],
    [card({ methodType: 'Other' }), 'Payment method ending in 4242'],
    [card({ methodType: 'Other', last4: null }), 'Payment method'],
  ] as const)
    it(`that is no card is called ${label}`, () => expect(displayLabel(method)).to.equal(label));

  it('expires with the first day of the month after the one it names', () => {
    const [december, january] = [card(), card({ expiryMonth: 1, expiryYear: 2027 })];
    expect(hasExpired(december, Date.parse('2026-12-31T23:59:59.999Z'))).to.equal(false);
    expect(hasExpired(december, Date.parse('2027-01-01T00:00:00.000Z'))).to.equal(true);
    expect(hasExpired(january, Date.parse('2027-01-31T23:59:59.999Z'))).to.equal(false);
    expect(hasExpired(january, Date.parse('2027-02-01T00:00:00.000Z'))).to.equal(true);
    expect(hasExpired(card({ expiryMonth: null, expiryYear: null }), Date.now())).to.equal(false);
  });

  it('says when it expires in two digits each', () => {
    expect(expiryFormatted(card({ expiryMonth: 3, expiryYear: 2105 }))).to.equal('03/05');
    expect(expiryFormatted(card({ expiryMonth: null }))).to.equal(null);
  });
});
