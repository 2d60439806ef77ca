import { expectation } from '#contracts/expectation.ts';
import { depthProblem } from '#contracts/free-form.ts';
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
  if (schemas.body) checkDepth(base, given.body);
  const query = schemas.query?.safeParse(given.query, { error: expectation });
  const body = schemas.body?.safeParse(given.body, { error: expectation });
  if ((query?.success ?? true) && (body?.success ?? true)) return { query: query?.data, body: body?.data };
  const issues = [...(query?.error?.issues ?? []), ...(body?.error?.issues ?? [])];
  throw invalidRequest(
    base,
    issues.map((issue) => [issue.path.map(String).join('.'), issue.message]),
  );
};

/** Before anybody walks through the body by recursion. */
const checkDepth = (base: Base, body: unknown): void => {
  const problem = depthProblem(body);
  if (problem !== null) throw invalidRequest(base, [[problem.path, problem.expected]]);
};

type Problem = readonly [path: string, expected: string];

const invalidRequest = (base: Base, problems: readonly Problem[]): Rejection => {
  const lines = problems.map(([path, expected]) => (path === '' ? expected : `${path}: ${expected}`));
  if (base === 'management')
    return new Rejection('invalid-request', 'The request is not valid.', { errors: lines });
  return new Rejection('invalid-request', `The request is not valid. ${lines.join('; ')}`, {
    errors: Object.fromEntries(problems.filter(([path]) => path !== '')),
  });
};
