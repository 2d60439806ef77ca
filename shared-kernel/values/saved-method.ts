/** What is shown of a way to pay that was saved (docs/rules/saved-methods.md#shown). */
export interface ShownMethod {
  readonly methodType: 'Card' | 'PayPal' | 'BankAccount' | 'Other';
  readonly cardBrand: string | null;
  readonly last4: string | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  readonly billingEmail: string | null;
}

const brands: readonly {
  readonly brand: string;
  readonly name: string;
  readonly others: readonly string[];
}[] = [
  { brand: 'visa', name: 'Visa', others: [] },
  { brand: 'mastercard', name: 'Mastercard', others: ['mc', 'eurocard'] },
  { brand: 'amex', name: 'American Express', others: ['americanexpress'] },
  { brand: 'discover', name: 'Discover', others: [] },
  { brand: 'diners', name: 'Diners Club', others: ['dinersclub'] },
  { brand: 'jcb', name: 'JCB', others: [] },
  { brand: 'unionpay', name: 'UnionPay', others: ['cup'] },
  { brand: 'maestro', name: 'Maestro', others: [] },
];

const letters = (brand: string): string => brand.toLowerCase().replace(/[^a-z]/g, '');

const known = (brand: string) =>
  brands.find((one) => one.brand === letters(brand) || one.others.includes(letters(brand)));

/** One spelling for each brand, however its provider writes it; an unknown brand keeps its own, in lower case. */
export const normalBrand = (brand: string | null): string | null => {
  const given = brand?.trim() ?? '';
  return given === '' ? null : (known(given)?.brand ?? given.toLowerCase());
};

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const ending = (what: string, last4: string | null): string =>
  last4 === null ? what : `${what} ending in ${last4}`;

/** How a method is called where shoppers choose one. */
export const displayLabel = ({ methodType, cardBrand, last4, billingEmail }: ShownMethod): string => {
  switch (methodType) {
    case 'Card':
      return ending(cardBrand === null ? 'Card' : (known(cardBrand)?.name ?? capitalised(cardBrand)), last4);
    case 'PayPal':
      return billingEmail === null ? 'PayPal' : `PayPal - ${billingEmail}`;
    case 'BankAccount':
      return ending('Bank account', last4);
    case 'Other':
      return ending('Payment method', last4);
  }
};

/** `MM/YY`; null for a method that does not expire. */
export const expiryFormatted = ({ expiryMonth, expiryYear }: ShownMethod): string | null =>
  expiryMonth === null || expiryYear === null
    ? null
    : `${String(expiryMonth).padStart(2, '0')}/${String(expiryYear % 100).padStart(2, '0')}`;

/** From the first day of the month after the one that it names, in UTC. */
export const hasExpired = ({ expiryMonth, expiryYear }: ShownMethod, now: number): boolean =>
  expiryMonth !== null && expiryYear !== null && now >= Date.UTC(expiryYear, expiryMonth, 1);
