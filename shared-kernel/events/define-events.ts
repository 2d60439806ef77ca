import { z } from 'zod';
import type { DomainEvent } from '#kernel/event.ts';

type Shapes = Record<string, z.ZodRawShape>;

export type Constructors<S extends Shapes> = {
  readonly [Type in keyof S & string]: {
    (data: z.output<z.ZodObject<S[Type]>>): DomainEvent<Type, z.output<z.ZodObject<S[Type]>>>;
    readonly type: Type;
  };
};

/** The union of the events that a `defineEvents` call declares. */
export type EventOf<Definition> = Definition extends { readonly create: Constructors<infer S> }
  ? { [Type in keyof S & string]: DomainEvent<Type, z.output<z.ZodObject<S[Type]>>> }[keyof S & string]
  : never;

/** What the registry and the codec need to know of an event type. */
export interface EventDefinition {
  readonly type: string;
  readonly context: string;
  readonly schemaVersion: number;
  readonly schema: z.ZodObject;
  /** Top-level fields that are encrypted under the data subject's key. */
  readonly personalFields: readonly string[];
  /** Top-level fields that are encrypted under the application key. */
  readonly secretFields: readonly string[];
  /** Top-level fields that the log need not keep where an earlier event of the stream says the same. */
  readonly repeats: readonly Repeat[];
}

/** The data of an event whose subject is forgotten: its personal fields are null. */
export const withoutPersonalFields = <Data extends object>(
  { personalFields }: Pick<EventDefinition, 'personalFields'>,
  data: Data,
): Data => {
  const said = personalFields.filter((field) => ((data as Record<string, unknown>)[field] ?? null) !== null);
  return said.length === 0 ? data : { ...data, ...Object.fromEntries(said.map((field) => [field, null])) };
};

/** A field that usually says what an event of another type has said in the field of that name, in the same stream. */
export interface Repeat {
  readonly field: string;
  readonly of: string;
}

type Mark = { readonly kind: 'personal' | 'secret' } | { readonly kind: 'repeated'; readonly of: string };

const marks = z.registry<Mark>();

/**
 * Marks a top-level field as personal data: encrypted in the log under the data subject's key, null once the subject
 * has been forgotten, and therefore null in the type as well.
 */
export const personal = <Schema extends z.ZodType>(schema: Schema): z.ZodNullable<Schema> => {
  const marked = schema.nullable();
  marks.add(marked, { kind: 'personal' });
  return marked;
};

/** Marks a top-level field as a secret: encrypted in the log with the application key. */
export const secret = <Schema extends z.ZodType>(schema: Schema): Schema => {
  const marked = schema.clone() as Schema;
  marks.add(marked, { kind: 'secret' });
  return marked;
};

/**
 * Marks a top-level field that usually says what an event of type `of` has said earlier in the stream, in its field of
 * that name: the log then names that event (docs/architecture.md#events). Not for personal or secret fields.
 */
export const repeated = <Schema extends z.ZodType>(of: string, schema: Schema): Schema => {
  const marked = schema.clone() as Schema;
  marks.add(marked, { kind: 'repeated', of });
  return marked;
};

/** Of a field that may be left out, the mark of what it is otherwise. */
const markOf = (field: z.ZodType): Mark | undefined =>
  marks.get(field instanceof z.ZodExactOptional ? (field.unwrap() as z.ZodType) : field);

const fieldsMarked = (shape: z.ZodRawShape, kind: 'personal' | 'secret'): string[] =>
  Object.keys(shape).filter((field) => markOf(shape[field] as z.ZodType)?.kind === kind);

const repeatsIn = (shape: z.ZodRawShape): Repeat[] =>
  Object.keys(shape).flatMap((field) => {
    const mark = markOf(shape[field] as z.ZodType);
    return mark?.kind === 'repeated' ? [{ field, of: mark.of }] : [];
  });

/**
 * Declares the events of one context: the schema is the source, the types and the constructors are derived.
 * `versions` names the schema version of types that are no longer at 1 (their upcasters live in `upcasters.ts`).
 */
export const defineEvents = <const S extends Shapes>(
  context: string,
  shapes: S,
  versions: Readonly<Record<string, number>> = {},
): { readonly create: Constructors<S>; readonly definitions: readonly EventDefinition[] } => {
  const definitions = Object.entries(shapes).map(([type, shape]) => ({
    type,
    context,
    schemaVersion: versions[type] ?? 1,
    schema: z.object(shape),
    personalFields: fieldsMarked(shape, 'personal'),
    secretFields: fieldsMarked(shape, 'secret'),
    repeats: repeatsIn(shape),
  }));
  const create = Object.fromEntries(
    definitions.map(({ type }) => [type, Object.assign((data: unknown) => ({ type, data }), { type })]),
  );
  return { create: create as unknown as Constructors<S>, definitions };
};
