import { z } from 'zod';

/** A moment of the past as callers name it: a day, of which its end is meant, or an instant in milliseconds. */
export type AsOf =
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'instant'; readonly instant: number };

const expected = 'must be a day YYYY-MM-DD, or an ISO 8601 date and time with its offset';

/** In a query a plus that was not encoded reads as a space. */
const withPlus = (text: string): string => text.replace(/ (?=\d{2}:\d{2}$)/, '+');

/** No shop is older; and a year has four digits in every time zone. */
const from1900 = /^(19|2\d)\d\d-/;

/** As zod has it: without seconds. */
const MINUTES = -1;

const day = z.iso
  .date()
  .regex(from1900)
  .transform((given): AsOf => ({ kind: 'day', day: given }));
const instant = z
  .string()
  .meta({ format: 'date-time' })
  .transform(withPlus)
  .pipe(
    z
      .union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: MINUTES })])
      .pipe(z.string().regex(from1900)),
  )
  .transform((given): AsOf => ({ kind: 'instant', instant: Date.parse(given) }));

/** What the shop would have said then (docs/rules/reporting.md#as-of). */
export const asOf = z.union([day, instant], expected).optional();
