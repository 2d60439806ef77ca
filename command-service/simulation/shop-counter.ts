import { parseRequest } from '#http/parse-request.ts';
import type { Reply, Route, RouteRequest } from '#http/route.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Actor } from '#kernel/event.ts';

/** A request as somebody makes it, before it is checked. */
export interface Ask {
  readonly actor: Actor;
  readonly cookies: Record<string, string>;
  /** The same for the same request of the same simulation: what is created gets its ids from it. */
  readonly commandId: string;
  readonly body?: object;
  readonly query?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
}

/** The shop's own endpoints without a network in between. */
export interface ShopCounter {
  /**
   * Answers like the endpoint, and keeps its cookies. Errors: its rejections; TypeError when there is no such endpoint.
   */
  ask(endpoint: string, request: Ask): Promise<Reply>;
}

const keep = (cookies: Record<string, string>, { cookies: toSet = [] }: Reply): void => {
  for (const { name, value } of toSet) {
    if (value === null) delete cookies[name];
    else cookies[name] = value;
  }
};

/** Takes requests to the routes, by `METHOD base path`, such as `POST checkout /pay`. */
export const createShopCounter = (routes: readonly Route[]): ShopCounter => {
  const byEndpoint = new Map(routes.map((route) => [`${route.method} ${route.base} ${route.path}`, route]));
  return {
    ask: async (endpoint, { actor, cookies, commandId, body, query = {}, params }) => {
      const route = byEndpoint.get(endpoint);
      if (!route) throw new TypeError(`there is no endpoint ${endpoint}`);
      const parsed = parseRequest(route.base, route.schemas, { query, body });
      const request: RouteRequest = {
        params,
        query: parsed.query,
        body: parsed.body,
        cookies: { ...cookies },
        actor,
        correlationId: derivedId('request', commandId),
        // Nobody's: however many shop in a simulation, they are counted together nowhere.
        ip: '',
        baseUrl: 'http://localhost',
        ...(route.isIdempotent ? { commandId } : {}),
      };
      const reply = await route.handle(request);
      keep(cookies, reply);
      return reply;
    },
  };
};
