import type { z } from 'zod';
import type { CurrencyOf } from '#fields/body-fields.ts';
import type { EventDefinition } from '#events/define-events.ts';
import type { Entity, EventReaders } from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { responseOf, type Beside, type Figure, type Showing, type Shows } from './entity-response.ts';
import { bodiesOf } from './entity-bodies.ts';
import { entityEvents, type Output, type Steps } from './entity-events.ts';

/** A shape with exactly the fields of another: one too few or too many does not compile. */
type Exactly<Shape, Given> = Given & Readonly<Record<Exclude<keyof Given, keyof Shape>, never>>;

/** A text that only one may have: the kind of its claims, and the case in which it is compared. */
interface Unique {
  readonly kind: string;
  readonly inCase: 'lower' | 'upper';
  /** The field within whose value it counts; default: in the whole shop. */
  readonly within?: string;
}

/** Fields that only one may have together: the kind of their claims. */
interface UniqueTogether<Field extends string> {
  readonly kind: string;
  readonly fields: readonly Field[];
}

/** A field that holds secrets, and what of it may be read. */
export interface Masked<Fields> {
  readonly field: keyof Fields & string;
  readonly mask: (fields: Fields) => Fields[keyof Fields];
}

/** What a declaration says: everything about a kind of resource but its rules. */
interface Declaration<
  Category extends string,
  Name extends string | null,
  Shape extends z.ZodRawShape,
  Follows extends keyof Shape & string,
  Begins extends keyof Shape & string,
  Body extends { readonly [Field in Exclude<keyof Shape, Follows>]: z.ZodType<z.output<Shape[Field]>> },
  Answer extends { readonly [Field in keyof Shape]: z.ZodType },
  Own extends Steps,
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
  /** Of these fields: raised with an upcaster for the events of before. Default: 1. */
  readonly version?: number;
  /** Under which name events record the fields: default the category; null: beside `at`. */
  readonly recordedAs?: Name;
  /** Fields that are not sent, as they follow from the others and from the time; recorded beside the rest. */
  readonly follows?: readonly Follows[];
  /** What a body may say of them all the same. */
  readonly says?: { readonly [Field in Follows]?: z.ZodType<z.output<Shape[Field]>> };
  /** Fields that a deletion says of what there was, for those who hear of it. */
  readonly leaves?: readonly (keyof Shape & string)[];
  /** Further events, and the fields that they set. */
  readonly steps?: Own;
  /** As a caller sends them. */
  readonly body: (currency: CurrencyOf) => Exactly<Omit<Shape, Follows>, Body>;
  /** What a creation may leave out, and what it means then. */
  readonly defaults?: Partial<Output<Omit<Shape, Follows | Begins>>>;
  /** Likewise, where it means something that follows from the time. */
  readonly begins?: (at: string) => Output<Pick<Shape, Begins>>;
  /** Texts that a creation may leave out or empty, and what they follow from then. */
  readonly derived?: { readonly [Field in keyof Shape]?: (given: Output<Shape>) => string };
  /** What some of the given fields become, where that depends on others, given or known. */
  readonly stored?: (
    given: Partial<Output<Shape>>,
    known: Output<Shape> | null,
    currency: string,
  ) => Partial<Output<Shape>>;
  /** As a caller reads them. */
  readonly response: Exactly<Shape, Answer>;
  /** Where the answer is not what was recorded. */
  readonly show?: (
    fields: Output<Shape>,
    currency: string,
  ) => { readonly [Field in keyof Shape]?: z.input<Answer[Field]> };
  readonly beside?: Beside<Output<Shape>>;
  /** What is shown beside the fields; 0 at first. */
  readonly figures?: Readonly<Record<string, Figure>>;
  /**
   * Whole numbers counted on reading; null in the response to a change. Each with its value right after the creation,
   * null where that is unknown.
   */
  readonly counted?: Readonly<Record<string, (created: Output<Shape>) => number | null>>;
  /** Where more than one figure makes what is shown. Default: each as it is. */
  readonly shows?: Shows<Output<Shape>>;
  /** What `search` looks through; `sortBy=name` sorts by the first. */
  readonly searched: readonly (keyof Shape & string)[];
  /** What `sortBy` knows beside `name` and `dateCreated`. */
  readonly sorted?: readonly (keyof Shape & string)[];
  readonly unique?: { readonly [Field in keyof Shape]?: Unique };
  readonly uniqueTogether?: UniqueTogether<keyof Shape & string>;
  /** Fields that a creation sets for ever: a change does not read them. */
  readonly fixed?: readonly (keyof Shape & string)[];
  /** Likewise, but a change may repeat them: another value is refused. */
  readonly immutable?: readonly (keyof Shape & string)[];
  /** What people call one of them. Default: its name. */
  readonly called?: (fields: Output<Shape>) => string;
  /** The field that `PUT …/reorder` sets to the place in its list. */
  readonly reordered?: keyof Shape & string;
  /** Fields that hold an id, or ids, of another kind, and its category. */
  readonly references?: { readonly [Field in keyof Shape]?: string };
  /** What a deletion leaves as it is, in words: nothing can stand in its way then. */
  readonly remains?: string;
  /** A field with secrets, which its events mark as one: sealed in snapshots, and masked wherever it is read. */
  readonly masked?: Masked<Output<Shape>>;
}

/**
 * A kind of resource: created, changed field by field, deleted, listed, shown, and imported from a store file.
 * `New`: what a creation is given.
 */
export interface EntityType<Fields = object, New = Fields> {
  readonly category: string;
  readonly context: string;
  readonly noun: string;
  readonly path: `/${string}`;
  readonly list: string;
  readonly version: number;
  /** Where it is declared. */
  readonly file: string;
  readonly events: { readonly definitions: readonly EventDefinition[] };
  readonly searched: readonly string[];
  readonly sorted: readonly string[];
  readonly reordered: string | null;
  readonly unique: Readonly<Record<string, Unique>>;
  readonly uniqueTogether: UniqueTogether<string> | null;
  readonly fixed: readonly string[];
  readonly immutable: readonly string[];
  readonly references: Readonly<Record<string, string>>;
  readonly remains: string | null;
  /** The field that holds secrets; null: none does. */
  readonly maskedField: string | null;
  /** The fields as anybody may read them. */
  readable(fields: Fields): Fields;
  readonly response: z.ZodType;
  readonly figures: Readonly<Record<string, Figure>>;
  createBody(currency: CurrencyOf): z.ZodType<New>;
  changeBody(currency: CurrencyOf): z.ZodType<Partial<New>>;
  /** The fields of a body that is refused that are fine; `isNew`: with what a creation may leave out. */
  validFields(body: unknown, currency: CurrencyOf, isNew: boolean): Partial<Fields>;
  /** What a creation may leave out and follows from the time. */
  begins(at: string): Partial<Fields>;
  /** The given fields as they are recorded; `known`: what is there. */
  stored<Given>(given: Given, known: Fields | null, currency: string): Given;
  toResponse(entity: Entity<Fields>, showing: Showing): object;
  /** What is counted of it right after its creation. */
  countedAtFirst(created: Fields): object;
  called(fields: object): string;
  created(fields: Fields, at: string): DomainEvent;
  changed(fields: Fields, at: string): DomainEvent;
  deleted(last: Fields): DomainEvent;
  isCreation(event: DomainEvent): boolean;
  /** What each of its events says; null for the deletion. */
  readonly readers: EventReaders<Fields, DomainEvent>;
}

export type FieldsOf<Kind> = Kind extends EntityType<infer Fields, infer _New> ? Fields : never;

/** What a creation of a kind is given. */
export type NewOf<Kind> = Kind extends EntityType<infer _Fields, infer New> ? New : never;

const nameOf = (fields: object): string => String((fields as { readonly name?: unknown }).name);

/** Declares a kind of resource: all that the services need to keep, list, show and import it. */
export const defineEntity = <
  const Category extends string,
  const Shape extends z.ZodRawShape,
  const Body extends { readonly [Field in Exclude<keyof Shape, Follows>]: z.ZodType<z.output<Shape[Field]>> },
  const Answer extends { readonly [Field in keyof Shape]: z.ZodType },
  const Name extends string | null = Category,
  const Follows extends keyof Shape & string = never,
  const Begins extends keyof Shape & string = never,
  const Own extends Steps = Record<never, never>,
>(
  declaration: Declaration<Category, Name, Shape, Follows, Begins, Body, Answer, Own>,
) => {
  const { category, context, noun, path, list, fields, body, response, show, begins, stored } = declaration;
  const { defaults = {}, derived = {}, says = {}, figures = {}, follows = [], fixed = [] } = declaration;
  const { searched, sorted = [], unique = {}, references = {}, remains = null, beside } = declaration;
  const { uniqueTogether = null, called = nameOf, version = 1, reordered = null, leaves = [] } = declaration;
  const { immutable = [], counted = {}, masked } = declaration;
  type Fields = Output<Shape>;
  type New = Output<Omit<Shape, Follows | Begins>> & {
    readonly [Field in Begins | Follows]?: z.output<Shape[Field]> | undefined;
  };
  const under = (declaration.recordedAs === undefined ? category : declaration.recordedAs) as Name;
  const steps = declaration.steps ?? ({} as Own);
  const events = entityEvents(context, category, under, fields, follows, steps, version, leaves);
  const begun = begins ? Object.keys(begins('')) : [];
  const kind: EntityType<Fields, New> = {
    category,
    context,
    noun,
    path,
    list,
    version,
    file: `shared-kernel/entities/${noun.replaceAll(' ', '-')}.entity.ts`,
    searched,
    sorted,
    reordered,
    unique: unique as Readonly<Record<string, Unique>>,
    uniqueTogether,
    fixed,
    immutable,
    called: (given) => called(given as Fields),
    references: references as Readonly<Record<string, string>>,
    remains,
    maskedField: masked?.field ?? null,
    readable: (given) => (masked ? { ...given, [masked.field]: masked.mask(given) } : given),
    figures,
    ...responseOf<Fields>({ response, show, figures, shows: declaration.shows, beside, counted, masked }),
    ...(bodiesOf({ body, defaults, derived, begun, says: says as z.ZodRawShape, fixed }) as Pick<
      EntityType<Fields, New>,
      'createBody' | 'changeBody' | 'validFields'
    >),
    begins: (at) => begins?.(at) ?? {},
    stored: (given, known, currency) => ({
      ...given,
      ...stored?.(given as Partial<Fields>, known, currency),
    }),
    ...events,
  };
  return kind as typeof kind & Pick<typeof events, 'events'> & { readonly category: Category };
};
