import type { z } from 'zod';
import { optionalText, type CurrencyOf } from '#fields/body-fields.ts';
import { changeBody, createBody, validFields } from '#fields/bodies.ts';
import { omit } from './entity-events.ts';

type AnyFunction = ((given: never) => string) | undefined;

/** The body of a creation: texts that follow from others may be left out or empty. */
const creationOf = (
  shape: z.ZodRawShape,
  defaults: object,
  derived: Readonly<Record<string, AnyFunction>>,
): z.ZodType<object> => {
  const names = Object.keys(derived);
  const optionalTexts = Object.fromEntries(names.map((field) => [field, optionalText]));
  const absent = Object.fromEntries(names.map((field) => [field, null]));
  const body = createBody({ ...shape, ...optionalTexts }, { ...defaults, ...absent });
  if (names.length === 0) return body;
  return body.transform((given) => {
    const fields = given as Readonly<Record<string, unknown>>;
    const follow = names.map((field) => [field, fields[field] ?? derived[field]?.(fields as never)]);
    return { ...given, ...Object.fromEntries(follow) };
  });
};

const optional = (shape: z.ZodRawShape, names: readonly string[]): z.ZodRawShape =>
  Object.fromEntries(names.map((name) => [name, (shape[name] as z.ZodType).optional()]));

interface Bodies {
  readonly body: (currency: CurrencyOf) => z.ZodRawShape;
  readonly defaults: object;
  readonly derived: Readonly<Record<string, AnyFunction>>;
  /** What a creation may leave out beside the defaults. */
  readonly begun: readonly string[];
  readonly says: z.ZodRawShape;
  readonly fixed: readonly string[];
}

export const bodiesOf = ({ body, defaults, derived, begun, says, fixed }: Bodies) => {
  const changing = (currency: CurrencyOf): z.ZodRawShape => omit(body(currency), fixed) as z.ZodRawShape;
  const beside = optional(says, Object.keys(says));
  return {
    createBody: (currency: CurrencyOf) => {
      const shape = body(currency);
      return creationOf({ ...shape, ...optional(shape, begun), ...beside }, defaults, derived);
    },
    changeBody: (currency: CurrencyOf): z.ZodType<object> => changeBody({ ...changing(currency), ...beside }),
    validFields: (given: unknown, currency: CurrencyOf, isNew: boolean) => {
      const left = Object.entries(isNew ? defaults : {}).filter(([field]) => !(field in (given as object)));
      const shape = isNew ? body(currency) : changing(currency);
      return { ...Object.fromEntries(left), ...validFields(shape, given) };
    },
  };
};
