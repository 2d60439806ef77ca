import type { z } from 'zod';
import { Rejection } from '#kernel/rejection.ts';
import type { Base, RouteSchemas } from './route.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
  email: 'an e-mail address',
  guid: 'a GUID',
  uuid: 'a GUID',
  url: 'a URL',
  datetime: 'an ISO 8601 date and time',
};

const units: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

const bound = (issue: RawIssue & { code: 'too_small' | 'too_big' }): string => {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const isInclusive = issue.inclusive ?? true;
  if (issue.code === 'too_small') {
    const unit = units[issue.origin];
    if (unit) return `at least ${limit} ${unit} were expected`;
    return isInclusive ? `${limit} or more was expected` : `more than ${limit} was expected`;
  }
  const unit = units[issue.origin];
  if (unit) return `at most ${limit} ${unit} were expected`;
  return isInclusive ? `${limit} or less was expected` : `less than ${limit} was expected`;
};

/** What was expected, in the words of people. A schema's own words win over these. */
const expectation: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `${nouns[issue.expected] ?? issue.expected} was expected`;
    case 'invalid_format':
      return `${nouns[issue.format] ?? 'another format'} was expected`;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')} was expected`;
    case 'too_small':
    case 'too_big':
      return bound(issue);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor} was expected`;
    case 'invalid_union':
      return alternatives(issue.errors);
    default:
      return undefined;
  }
};

const alternatives = (errors: readonly (readonly z.core.$ZodIssue[])[]): string => {
  const all = errors.flatMap(([first]) => (first ? [first.message.replace(/ was expected$/, '')] : []));
  return all.length === 0 ? 'another value was expected' : `${[...new Set(all)].join(' or ')} was expected`;
};

export interface ParsedRequest {
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Checks query and body against a route's schemas; what has no schema is undefined. Throws a Rejection
 * `invalid-request` that names all problems at once: as a list for the backoffice, by field for shoppers.
 */
export const parseRequest = (
  base: Base,
  schemas: RouteSchemas,
  given: { readonly query: unknown; readonly body: unknown },
): ParsedRequest => {
  const query = schemas.query?.safeParse(given.query, { error: expectation });
  const body = schemas.body?.safeParse(given.body, { error: expectation });
  if ((query?.success ?? true) && (body?.success ?? true)) return { query: query?.data, body: body?.data };
  throw invalidRequest(base, [...(query?.error?.issues ?? []), ...(body?.error?.issues ?? [])]);
};

const invalidRequest = (base: Base, issues: readonly z.core.$ZodIssue[]): Rejection => {
  const problems = issues.map((issue) => [issue.path.map(String).join('.'), issue.message] as const);
  const lines = problems.map(([path, expected]) => (path === '' ? expected : `${path}: ${expected}`));
  if (base === 'management')
    return new Rejection('invalid-request', 'The request is not valid.', { errors: lines });
  return new Rejection('invalid-request', `The request is not valid. ${lines.join('; ')}`, {
    errors: Object.fromEntries(problems.filter(([path]) => path !== '')),
  });
};
