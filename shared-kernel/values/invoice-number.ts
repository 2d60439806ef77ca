/** `INV-0001`: the prefix and the number, padded to four digits (decisions, storefront 8.3). */
export const formatInvoiceNumber = (prefix: string, number: number): string =>
  `${prefix}${String(number).padStart(4, '0')}`;
