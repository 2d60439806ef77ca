import { z } from 'zod';
import {
  answerDates,
  changeBody,
  createBody,
  optionalText,
  validFields,
  type CurrencyOf,
} from '#contracts/management.contract.ts';
import { defineEvents, type Constructors, type EventDefinition } from '#events/define-events.ts';
import { instant } from '#events/fields.ts';
import type { Entity, Told } from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
type At = { readonly at: typeof instant };

/** What is recorded of one: its fields under its name, or beside `at`. */
type Recorded<Category extends string, Shape extends z.ZodRawShape, IsFlat> = IsFlat extends true
  ? Shape & At
  : { readonly [Name in Category]: z.ZodObject<Shape> } & At;

type Shapes<Category extends string, Shape extends z.ZodRawShape, IsFlat> = {
  readonly [Type in `${Capitalize<Category>}${'Created' | 'Changed'}`]: Recorded<Category, Shape, IsFlat>;
} & { readonly [Type in `${Capitalize<Category>}Deleted`]: Record<never, never> };

/** A shape with exactly the fields of another: one too few or too many does not compile. */
type Exactly<Shape, Given> = Given & Readonly<Record<Exclude<keyof Given, keyof Shape>, never>>;

/** What a declaration says: everything about a kind of managed thing but its rules. */
interface Declaration<
  Category extends string,
  Shape extends z.ZodRawShape,
  Body extends { readonly [Field in keyof Shape]: z.ZodType<z.output<Shape[Field]>> },
  Answer extends { readonly [Field in keyof Shape]: z.ZodType },
  IsFlat extends boolean,
> {
  /** Of its streams: `taxGroup`. Its events are `TaxGroupCreated`, `TaxGroupChanged` and `TaxGroupDeleted`. */
  readonly category: Category;
  /** The context of its events. */
  readonly context: string;
  /** What people call one: `tax group`. */
  readonly noun: string;
  /** Where the management API has them: `/tax-groups`. */
  readonly path: `/${string}`;
  /** What a store file and the read models call all of them: `taxGroups`. */
  readonly list: string;
  /** As events record them. */
  readonly fields: Shape;
  /** True for events of old that record the fields beside `at`. */
  readonly isFlat?: IsFlat;
  /** As a caller sends them. */
  readonly body: (currency: CurrencyOf) => Exactly<Shape, Body>;
  /** What a creation may leave out, and what it means then. */
  readonly defaults?: Partial<Output<Shape>>;
  /** Texts that a creation may leave out or empty, and what they follow from then. */
  readonly derived?: { readonly [Field in keyof Shape]?: (given: Output<Shape>) => string };
  /** As a caller reads them. */
  readonly answer: Exactly<Shape, Answer>;
  /** Where the answer is not what was recorded. */
  readonly show?: (
    fields: Output<Shape>,
    currency: string,
  ) => { readonly [Field in keyof Shape]: z.input<Answer[Field]> };
  /** What `search` looks through; `sortBy=name` sorts by the first. */
  readonly searched: readonly (keyof Shape & string)[];
  /** What `sortBy` knows beside `name` and `dateCreated`. */
  readonly sorted?: readonly (keyof Shape & string)[];
  /** Texts that only one may have, whatever their case, and the kind of their claims. */
  readonly unique?: { readonly [Field in keyof Shape]?: string };
  /** Fields that hold an id, or ids, of another kind, and its category. */
  readonly references?: { readonly [Field in keyof Shape]?: string };
}

/** A kind of managed thing: created, changed field by field, deleted, listed, shown, and imported from a store file. */
export interface EntityKind<Fields = object> {
  readonly category: string;
  readonly context: string;
  readonly noun: string;
  readonly path: `/${string}`;
  readonly list: string;
  /** Where it is declared. */
  readonly file: string;
  readonly events: { readonly definitions: readonly EventDefinition[] };
  readonly searched: readonly string[];
  readonly sorted: readonly string[];
  readonly unique: Readonly<Record<string, string>>;
  readonly references: Readonly<Record<string, string>>;
  readonly answer: z.ZodType;
  createBody(currency: CurrencyOf): z.ZodType<Fields>;
  changeBody(currency: CurrencyOf): z.ZodType<Partial<Fields>>;
  /** The fields of a body that is refused that are fine; `isNew`: with what a creation may leave out. */
  validFields(body: unknown, currency: CurrencyOf, isNew: boolean): Partial<Fields>;
  toAnswer(entity: Entity<Fields>, currency: string): object;
  created(fields: Fields, at: string): DomainEvent;
  changed(fields: Fields, at: string): DomainEvent;
  deleted(): DomainEvent;
  isCreation(event: DomainEvent): boolean;
  /** What each of its events says; null for the deletion. */
  readonly told: Told<Fields, DomainEvent>;
}

/** The fields of a kind. */
export type FieldsOf<Kind> = Kind extends EntityKind<infer Fields> ? Fields : never;

type Data = Readonly<Record<string, unknown>> & { readonly at: string };

/** What its events are called and hold. */
const eventsOf = <Category extends string, Shape extends z.ZodRawShape, IsFlat extends boolean>(
  context: string,
  category: Category,
  fields: Shape,
  isFlat: boolean,
) => {
  const [first = '', ...rest] = category;
  const name = [first.toUpperCase(), ...rest].join('');
  const recorded = isFlat ? { ...fields, at: instant } : { [category]: z.object(fields), at: instant };
  const shapes = { [`${name}Created`]: recorded, [`${name}Changed`]: recorded, [`${name}Deleted`]: {} };
  const events = defineEvents(context, shapes);
  const tell = ({ data }: DomainEvent) => {
    const { at, ...beside } = data as Data;
    return { fields: (isFlat ? beside : beside[category]) as Output<Shape>, at };
  };
  const dataOf = (given: object, at: string) => (isFlat ? { ...given, at } : { [category]: given, at });
  return {
    events: events as unknown as {
      readonly create: Constructors<Shapes<Category, Shape, IsFlat>>;
      readonly definitions: readonly EventDefinition[];
    },
    created: (given: object, at: string): DomainEvent => ({
      type: `${name}Created`,
      data: dataOf(given, at),
    }),
    changed: (given: object, at: string): DomainEvent => ({
      type: `${name}Changed`,
      data: dataOf(given, at),
    }),
    deleted: (): DomainEvent => ({ type: `${name}Deleted`, data: {} }),
    isCreation: ({ type }: DomainEvent): boolean => type === `${name}Created`,
    told: { [`${name}Created`]: tell, [`${name}Changed`]: tell, [`${name}Deleted`]: null },
  };
};

/** The body of a creation: texts that follow from others may be left out or empty. */
const creationOf = <Fields extends object>(
  shape: z.ZodRawShape,
  defaults: object,
  derived: Readonly<Record<string, ((given: Fields) => string) | undefined>>,
): z.ZodType<Fields> => {
  const names = Object.keys(derived);
  const optional = Object.fromEntries(names.map((field) => [field, optionalText]));
  const absent = Object.fromEntries(names.map((field) => [field, null]));
  const body = createBody({ ...shape, ...optional }, { ...defaults, ...absent });
  if (names.length === 0) return body as unknown as z.ZodType<Fields>;
  return body.transform((given) => {
    const fields = given as Readonly<Record<string, unknown>>;
    const follow = names.map((field) => [field, fields[field] ?? derived[field]?.(fields as Fields)]);
    return { ...given, ...Object.fromEntries(follow) } as Fields;
  }) as unknown as z.ZodType<Fields>;
};

/** Declares a kind of managed thing: all that the services need to keep, list, show and import it. */
export const defineEntity = <
  const Category extends string,
  const Shape extends z.ZodRawShape,
  const Body extends { readonly [Field in keyof Shape]: z.ZodType<z.output<Shape[Field]>> },
  const Answer extends { readonly [Field in keyof Shape]: z.ZodType },
  const IsFlat extends boolean = false,
>(
  declaration: Declaration<Category, Shape, Body, Answer, IsFlat>,
) => {
  const { category, context, noun, path, list, fields, body, answer, show, searched } = declaration;
  const { defaults = {}, derived = {}, sorted = [], unique = {}, references = {} } = declaration;
  type Fields = Output<Shape>;
  const kind: EntityKind<Fields> = {
    category,
    context,
    noun,
    path,
    list,
    file: `shared-kernel/entities/${noun.replaceAll(' ', '-')}.entity.ts`,
    searched,
    sorted,
    unique: unique as Readonly<Record<string, string>>,
    references: references as Readonly<Record<string, string>>,
    answer: z.object({ ...answerDates, ...answer }),
    createBody: (currency) => creationOf<Fields & object>(body(currency), defaults, derived),
    changeBody: (currency) => changeBody(body(currency)) as unknown as z.ZodType<Partial<Fields>>,
    validFields: (given, currency, isNew) => {
      const left = Object.entries(isNew ? defaults : {}).filter(([field]) => !(field in (given as object)));
      return { ...Object.fromEntries(left), ...validFields(body(currency), given) } as Partial<Fields>;
    },
    toAnswer: ({ id, fields: given, dateCreated, dateUpdated }, currency) => ({
      id,
      ...given,
      ...show?.(given, currency),
      dateCreated,
      dateUpdated,
    }),
    ...eventsOf<Category, Shape, IsFlat>(context, category, fields, declaration.isFlat ?? false),
  };
  return kind as typeof kind &
    Pick<ReturnType<typeof eventsOf<Category, Shape, IsFlat>>, 'events'> & { readonly category: Category };
};
