import { z } from 'zod';
import { defineEvents, type Constructors, type EventDefinition } from '#events/define-events.ts';
import { instant } from '#events/fields.ts';
import type { EventReaders } from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';

export type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;
type At = { readonly at: typeof instant };

/** Events of a kind's own beside those of every kind; all of them say when. */
export type Steps = Readonly<Record<string, Step>>;

/** What such an event says, and which fields it sets. */
export interface Step {
  readonly data: z.ZodRawShape;
  readonly sets: (data: never) => object;
}

export const step = <Data extends z.ZodRawShape, Sets extends object>(
  data: Data,
  sets: (data: Output<Data>) => Sets,
) => ({ data, sets });

/**
 * What is recorded of one: what people send under a name (null: beside the rest), and beside it the fields that follow.
 */
type Recorded<
  Name extends string | null,
  Shape extends z.ZodRawShape,
  Follows extends keyof Shape,
> = (Name extends string
  ? { readonly [Under in Name]: z.ZodObject<Omit<Shape, Follows>> }
  : Omit<Shape, Follows>) &
  Pick<Shape, Follows> &
  At;

type Shapes<
  Category extends string,
  Name extends string | null,
  Shape extends z.ZodRawShape,
  Follows extends keyof Shape,
  Own extends Steps,
> = {
  readonly [Type in `${Capitalize<Category>}${'Created' | 'Changed'}`]: Recorded<Name, Shape, Follows>;
} & { readonly [Type in `${Capitalize<Category>}Deleted`]: Record<never, never> } & {
  readonly [Type in keyof Own & string]: Own[Type]['data'] & At;
};

type Data = Readonly<Record<string, unknown>> & { readonly at: string };

const pick = (given: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));

export const omit = (given: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

/** Events of before do not say it. */
const optional = (shape: object): z.ZodRawShape =>
  Object.fromEntries(
    Object.entries(shape as z.ZodRawShape).map(([name, one]) => [name, (one as z.ZodType).optional()]),
  );

/** All fields, as a creation or a change records them. */
const whole =
  (under: string | null) =>
  ({ data }: DomainEvent) => {
    const { at, ...readers } = data as Data;
    if (under === null) return { fields: readers, at };
    const { [under]: named, ...beside } = readers;
    return { fields: { ...(named as object), ...beside }, at };
  };

/** The fields that an event of the kind's own leaves and sets. */
const stepped =
  ({ sets }: Step) =>
  ({ data }: DomainEvent, before: object | null) =>
    before === null ? undefined : { fields: { ...before, ...sets(data as never) }, at: (data as Data).at };

/** What its events are called and hold. */
export const entityEvents = <
  Category extends string,
  Name extends string | null,
  Shape extends z.ZodRawShape,
  Follows extends keyof Shape & string,
  Own extends Steps,
>(
  context: string,
  category: Category,
  under: Name,
  fields: Shape,
  follows: readonly Follows[],
  steps: Own,
  version: number,
  leaves: readonly string[],
) => {
  const [first = '', ...rest] = category;
  const noun = [first.toUpperCase(), ...rest].join('');
  const sent = omit(fields, follows) as z.ZodRawShape;
  const recorded = {
    ...(under === null ? sent : { [under]: z.object(sent) }),
    ...(pick(fields, follows) as z.ZodRawShape),
    at: instant,
  };
  const own = Object.entries(steps).map(([type, { data }]) => [type, { ...data, at: instant }] as const);
  const events = defineEvents(
    context,
    {
      [`${noun}Created`]: recorded,
      [`${noun}Changed`]: recorded,
      ...Object.fromEntries(own),
      [`${noun}Deleted`]: optional(pick(fields, leaves)),
    },
    { [`${noun}Created`]: version, [`${noun}Changed`]: version },
  );
  const record = (type: string) => (given: object, at: string) => {
    const named = omit(given, follows);
    const data = { ...(under === null ? named : { [under]: named }), ...pick(given, follows), at };
    return { type, data };
  };
  const readers = {
    [`${noun}Created`]: whole(under),
    [`${noun}Changed`]: whole(under),
    ...Object.fromEntries(Object.entries(steps).map(([type, one]) => [type, stepped(one)])),
    [`${noun}Deleted`]: null,
  };
  return {
    events: events as unknown as {
      readonly create: Constructors<Shapes<Category, Name, Shape, Follows, Own>>;
      readonly definitions: readonly EventDefinition[];
    },
    created: record(`${noun}Created`),
    changed: record(`${noun}Changed`),
    deleted: (last: object): DomainEvent => ({ type: `${noun}Deleted`, data: pick(last, leaves) }),
    isCreation: ({ type }: DomainEvent): boolean => type === `${noun}Created`,
    readers: readers as EventReaders<Output<Shape>, DomainEvent>,
  };
};
