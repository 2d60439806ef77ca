import { z } from 'zod';

type Optional<Shape extends z.ZodRawShape, Defaults> = {
  [Field in keyof Shape]: Field extends keyof Defaults ? z.ZodOptional<Shape[Field]> : Shape[Field];
};

/** The body of a creation: the fields of `shape`, those without a default required. */
export const createBody = <
  Shape extends z.ZodRawShape,
  const Defaults extends Partial<z.output<z.ZodObject<Shape>>>,
>(
  shape: Shape,
  defaults: Defaults,
) => {
  const fields = Object.fromEntries(
    Object.entries(shape).map(([field, schema]) => [
      field,
      field in defaults ? (schema as z.ZodType).optional() : schema,
    ]),
  ) as Optional<Shape, Defaults>;
  return z
    .object(fields)
    .transform((given) => ({ ...defaults, ...given }) as unknown as z.output<z.ZodObject<Shape>>);
};

/** The fields that were given; zod leaves out what was not, and the type says so. */
type Given<Fields> = { readonly [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

/** The body of a change: the given fields replace what is there. */
export const changeBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .object(shape)
    .partial()
    .transform((given) => given as unknown as Given<z.output<z.ZodObject<Shape>>>);

/** The fields of a body that are there and valid by themselves, whatever is wrong with the others. */
export const validFields = (shape: z.ZodRawShape, body: unknown): Readonly<Record<string, unknown>> => {
  const given = body as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(shape).flatMap(([field, schema]): [string, unknown][] => {
      const parsed = field in given ? (schema as z.ZodType).safeParse(given[field]) : null;
      return parsed?.success ? [[field, parsed.data]] : [];
    }),
  );
};

/** Members of every entity's answer beside its own. */
export const responseDates = { id: z.string(), dateCreated: z.string(), dateUpdated: z.string() };
