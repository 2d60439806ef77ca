import { z } from 'zod';
import { responseDates } from '#fields/bodies.ts';
import type { EventDefinition } from '#events/define-events.ts';
import type { Entity } from '#kernel/entity.ts';

/** Resources as they are now, for what an answer says of those that it names. */
type Find = (category: string, id: string) => Readonly<Record<string, unknown>> | undefined;

/** What is shown beside the fields and follows from them and from what they name. */
export interface Beside<Fields> {
  readonly response: z.ZodRawShape;
  readonly show: (fields: Fields, find: Find) => object;
}

/** What an answer needs beside the fields. */
export interface Showing {
  readonly currency: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly find: Find;
}

/** A number that events of other streams tell: of one under the same id, or of those that name the thing. */
export interface Figure {
  readonly definitions: readonly EventDefinition[];
  /** The things that an event counts for. Left out: the one whose id is that of the event's stream. */
  readonly ids?: (data: never) => readonly string[];
  readonly tell: (data: never, before: number, id: string) => number;
}

export const figure = <Data>(
  { definitions }: { readonly definitions: readonly EventDefinition[] },
  tell: (data: Data) => number,
): Figure => ({ definitions, tell });

/** How often events of these types have named it: each says how much it counts for which. */
export const countOf = <Data>(
  { definitions }: { readonly definitions: readonly EventDefinition[] },
  types: readonly string[],
  counts: (data: Data) => ReadonlyMap<string, number>,
): Figure => ({
  definitions: definitions.filter(({ type }) => types.includes(type)),
  ids: (data: Data) => [...counts(data).keys()],
  tell: (data: Data, before, id) => before + (counts(data).get(id) ?? 0),
});

/** What is shown of figures. */
export type Shows<Fields> = Readonly<
  Record<string, (fields: Fields, figures: Readonly<Record<string, number>>) => number>
>;

interface Shown<Fields> {
  readonly response: z.ZodRawShape;
  readonly show: ((fields: Fields, currency: string) => object) | undefined;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly shows: Shows<Fields> | undefined;
  readonly beside: Beside<Fields> | undefined;
  readonly counted: Readonly<Record<string, (created: Fields) => number | null>>;
  readonly masked: { readonly field: string; readonly mask: (fields: Fields) => unknown } | undefined;
}

/** What people read: the fields, what follows, and the figures. */
export const responseOf = <Fields>(declared: Shown<Fields>) => {
  const { response, show, figures, shows, beside, counted, masked } = declared;
  const atFirst = Object.entries(counted);
  const uncounted = Object.fromEntries(atFirst.map(([name]) => [name, null]));
  const shown = Object.entries(shows ?? {});
  return {
    response: z.object({
      ...responseDates,
      ...response,
      ...beside?.response,
      ...Object.fromEntries(Object.keys(shows ?? figures).map((name) => [name, z.int()])),
      ...Object.fromEntries(atFirst.map(([name]) => [name, z.int().nullable()])),
    }),
    toResponse: (
      { id, fields, dateCreated, dateUpdated }: Entity<Fields>,
      { currency, figures: known, find }: Showing,
    ) => ({
      id,
      ...fields,
      ...show?.(fields, currency),
      ...(masked && { [masked.field]: masked.mask(fields) }),
      ...beside?.show(fields, find),
      ...uncounted,
      ...(shows ? Object.fromEntries(shown.map(([name, of]) => [name, of(fields, known)])) : known),
      dateCreated,
      dateUpdated,
    }),
    countedAtFirst: (created: Fields): object =>
      Object.fromEntries(atFirst.map(([name, count]) => [name, count(created)])),
  };
};
