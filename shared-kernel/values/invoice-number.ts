import { derivedId } from '#kernel/ids.ts';

/** Whose stream has an entry for each number, gapless. */
export const INVOICE_NUMBERS = derivedId('invoice-numbers');

/** `INV-0001`: the prefix and the number, padded to four digits (docs/rules/orders.md#numbers). */
export const formatInvoiceNumber = (prefix: string, number: number): string =>
  `${prefix}${String(number).padStart(4, '0')}`;
