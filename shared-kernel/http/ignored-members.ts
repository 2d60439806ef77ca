import { z } from 'zod';
import type { Route } from './route.ts';

/** Names what of a request counts for nothing (docs/rules/management.md#what-is-ignored). */
export const IGNORED_HEADER = 'Tillroll-Ignored';

const MOST_NAMES = 20;
const LONGEST_NAME = 100;
const more = '...';

type Json = Readonly<Record<string, unknown>>;

/** What a request may have at one place: anything, or these members, others of one form, and what a list holds. */
type Known = 'anything' | Members;

interface Members {
  readonly fields: ReadonlyMap<string, Known>;
  /** Null: there are no others. */
  readonly others: Known | null;
  /** Null: it is no list. */
  readonly items: Known | null;
}

const nothing: Members = { fields: new Map(), others: null, items: null };

const joined = (one: Known | null, other: Known | null, join: (one: Known, other: Known) => Known) =>
  one !== null && other !== null ? join(one, other) : (one ?? other);

/** A place that may have either form. */
const either = (one: Known, other: Known): Known => {
  if (one === 'anything' || other === 'anything') return 'anything';
  const fields = new Map(one.fields);
  for (const [name, known] of other.fields) fields.set(name, either(fields.get(name) ?? known, known));
  return {
    fields,
    others: joined(one.others, other.others, either),
    items: joined(one.items, other.items, either),
  };
};

/** A body whose sender has read an answer: what that says beside what the body takes is no mistake. */
const orAsAnswered = (body: Known, answer: Known): Known => {
  if (body === 'anything' || answer === 'anything') return body;
  const fields = new Map(body.fields);
  for (const [name, known] of answer.fields) {
    const taken = fields.get(name);
    fields.set(name, taken === undefined ? 'anything' : orAsAnswered(taken, known));
  }
  return { fields, others: body.others, items: joined(body.items, answer.items, orAsAnswered) };
};

const knownOfType = ({ type, properties, additionalProperties, items, ...rest }: Json): Known => {
  const otherNames = (rest['x-other-names'] ?? []) as readonly string[];
  switch (type) {
    case 'object':
      return {
        fields: new Map([
          ...Object.entries((properties ?? {}) as Json).map(
            ([name, schema]) => [name, knownBy(schema as Json)] as const,
          ),
          ...otherNames.map((name) => [name, 'anything'] as const),
        ]),
        others: typeof additionalProperties === 'object' ? knownBy(additionalProperties as Json) : null,
        items: null,
      };
    case 'array':
      return { ...nothing, items: items === undefined ? 'anything' : knownBy(items as Json) };
    case undefined:
      return 'const' in rest || 'enum' in rest ? nothing : 'anything';
    default:
      return nothing;
  }
};

const knownBy = (schema: Json): Known => {
  const forms = ['anyOf', 'oneOf', 'allOf'].flatMap((form) => (schema[form] ?? []) as readonly Json[]);
  return forms.length === 0 ? knownOfType(schema) : forms.map(knownBy).reduce(either);
};

/** Schemas are made once, routes by each shop that is opened. */
const bySchema = { input: new WeakMap<z.ZodType, Known>(), output: new WeakMap<z.ZodType, Known>() };

const knownTo = (schema: z.ZodType | null | undefined, io: 'input' | 'output'): Known => {
  if (!schema) return nothing;
  const known = bySchema[io].get(schema) ?? knownBy(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  bySchema[io].set(schema, known);
  return known;
};

interface KnownOfRoute {
  readonly query: Known;
  readonly body: Known;
}

/** Who puts back what they have read sends what the answer says, and need not take it apart. */
const worksOut = (route: Route): KnownOfRoute => {
  const { method, schemas, response, status, isIdempotent, responseOfGet } = route;
  const isWholeEntity = method === 'PUT' || status === 201;
  const key = new Map<string, Known>(isIdempotent ? [['idempotencyKey', 'anything']] : []);
  const answers = [isWholeEntity ? response : null, responseOfGet].map((schema) => knownTo(schema, 'output'));
  const body = answers.reduce(orAsAnswered, knownTo(schemas.body, 'input'));
  return {
    query: knownTo(schemas.query, 'input'),
    body: schemas.body ? orAsAnswered(body, { ...nothing, fields: key }) : 'anything',
  };
};

const byRoute = new WeakMap<Route, KnownOfRoute>();

const knownOf = (route: Route): KnownOfRoute => {
  const known = byRoute.get(route) ?? worksOut(route);
  byRoute.set(route, known);
  return known;
};

type Path = readonly (string | number)[];

/** Walks no further once there are more than a header names. */
const collect = (value: unknown, known: Known, path: Path, found: Path[]): void => {
  if (known === 'anything' || typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    if (found.length > MOST_NAMES) return;
    const own = Array.isArray(value) ? known.items : (known.fields.get(name) ?? known.others);
    if (own !== null) collect(child, own, [...path, name], found);
    else if (!Array.isArray(value)) found.push([...path, name]);
  }
};

/** Of characters that a header may have; a full stop stands between the parts only. */
const nameOf = (path: Path): string => {
  const name = path
    .map((part) => encodeURIComponent(String(part).toWellFormed()).replaceAll('.', '%2E'))
    .join('.');
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - more.length)}${more}` : name;
};

/** What of a request its route does not know; null: nothing. */
export const ignoredMembers = (
  route: Route,
  { query, body }: { readonly query: unknown; readonly body: unknown },
): string | null => {
  const found: Path[] = [];
  const known = knownOf(route);
  collect(query, known.query, [], found);
  collect(body, known.body, [], found);
  const names = found.slice(0, MOST_NAMES).map(nameOf);
  if (found.length > MOST_NAMES) names.push(more);
  return names.length === 0 ? null : names.join(', ');
};
