import type { TaxReference } from '#reference/reference.ts';
import { percentOf, type Minor } from '#values/money.ts';
import { findRegion } from '#values/region.ts';

/** A line that somebody writes by hand; `amount` is of one unit. */
export interface CustomItem {
  readonly amount: Minor;
  readonly quantity: number;
  readonly taxGroupId: string | null;
  /** Default: where there is a tax group. */
  readonly isTaxable?: boolean | undefined;
  readonly countryCode: string;
  readonly regionCode: string | null;
}

/** Taxed with a group only, as a whole line, at the group's rate for where it goes. */
export const taxedItem = (
  { amount, quantity, taxGroupId, isTaxable: wanted = true, countryCode, regionCode: given }: CustomItem,
  tax: TaxReference,
) => {
  const lineTotal = amount * quantity;
  const isTaxable = wanted && taxGroupId !== null;
  const regionCode = given === null ? null : (findRegion(countryCode, given)?.regionCode ?? given);
  const taxRate = isTaxable ? tax.rate(taxGroupId, { countryCode, regionCode, postalCode: null }) : 0;
  return { lineTotal, isTaxable, taxRate, tax: percentOf(lineTotal, taxRate) };
};
