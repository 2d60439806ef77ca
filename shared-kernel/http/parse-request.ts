import { expectation } from '#fields/expectation.ts';
import { depthProblem } from '#fields/free-form.ts';
import type { RouteSchemas } from './route.ts';
import type { Surface } from './surfaces/surface.ts';

export interface ParsedRequest {
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Checks query and body against a route's schemas; what has no schema is undefined. Throws a Rejection
 * `invalid-request` that names all problems at once, as the surface words it.
 */
export const parseRequest = (
  { invalidRequest }: Surface,
  schemas: RouteSchemas,
  given: { readonly query: unknown; readonly body: unknown },
): ParsedRequest => {
  if (schemas.body) checkDepth(invalidRequest, given.body);
  const query = schemas.query?.safeParse(given.query, { error: expectation });
  const body = schemas.body?.safeParse(given.body, { error: expectation });
  if ((query?.success ?? true) && (body?.success ?? true)) return { query: query?.data, body: body?.data };
  const issues = [...(query?.error?.issues ?? []), ...(body?.error?.issues ?? [])];
  throw invalidRequest(issues.map((issue) => [issue.path.map(String).join('.'), issue.message]));
};

/** Before anybody walks through the body by recursion. */
const checkDepth = (invalidRequest: Surface['invalidRequest'], body: unknown): void => {
  const problem = depthProblem(body);
  if (problem !== null) throw invalidRequest([[problem.path, problem.expected]]);
};
