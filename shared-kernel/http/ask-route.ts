import { parse as parseQuery } from 'node:querystring';
import { newId } from '#kernel/ids.ts';
import { parseRequest } from './parse-request.ts';
import type { Route } from './route.ts';

/** The parameters of a path; null where it is another route's. */
const paramsIn = (pattern: string, path: string): Readonly<Record<string, string>> | null => {
  const parts = path.split('/');
  const names = pattern.split('/');
  const params: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const part = parts[place] ?? '';
    if (name.startsWith('{')) params[name.slice(1, -1)] = decodeURIComponent(part);
    else if (name !== part) return null;
  }
  return names.length === parts.length ? params : null;
};

/**
 * What a query of the management API answers to this process itself: as over HTTP, without a connection. Errors: those
 * of the route, `Rejection` also for what its schemas refuse.
 */
export const askRoute = async (routes: readonly Route[], pathAndQuery: string): Promise<unknown> => {
  const [path = '', query = ''] = pathAndQuery.split('?');
  const route = routes.find(
    (one) => one.method === 'GET' && one.surface.name === 'management' && paramsIn(one.path, path) !== null,
  );
  const params = route && paramsIn(route.path, path);
  if (!route) throw new TypeError(`no query of the management API is at ${path}`);
  const asked = { query: { ...parseQuery(query) }, body: undefined };
  const { json } = await route.handle({
    ...parseRequest(route.surface, route.schemas, asked),
    params,
    actor: { kind: 'system', id: 'command-line' },
    correlationId: newId(),
    reached: { position: 0 },
    cookies: {},
    basketId: null,
    ip: '',
    header: () => undefined,
    headers: {},
    baseUrl: '',
  });
  return json;
};
