import type { z } from 'zod';
import { expectation } from '#contracts/expectation.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Base, RouteSchemas } from './route.ts';

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
