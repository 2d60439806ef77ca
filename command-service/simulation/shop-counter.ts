import { parseRequest } from '#http/parse-request.ts';
import type { Reply, Route, RouteRequest } from '#http/route.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Actor } from '#kernel/event.ts';

/** What a visitor brings along from one request to the next. */
export interface Jar {
  readonly cookies: Record<string, string>;
  /** Outside, a cookie that the shop has signed. */
  basketId: string | null;
}

export const emptyJar = (): Jar => ({ cookies: {}, basketId: null });

/** A request as somebody makes it, before it is checked. */
export interface Ask {
  readonly actor: Actor;
  readonly jar: Jar;
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

const keep = (jar: Jar, { cookies: toSet = [], basketId }: Reply): void => {
  for (const { name, value } of toSet) {
    if (value === null) delete jar.cookies[name];
    else jar.cookies[name] = value;
  }
  if (basketId !== undefined) jar.basketId = basketId;
};

/** Takes requests to the routes, by `METHOD base path`, such as `POST checkout /pay`. */
export const createShopCounter = (routes: readonly Route[]): ShopCounter => {
  const byEndpoint = new Map(
    routes.map((route) => [`${route.method} ${route.surface.name} ${route.path}`, route]),
  );
  return {
    ask: async (endpoint, { actor, jar, commandId, body, query = {}, params }) => {
      const route = byEndpoint.get(endpoint);
      if (!route) throw new TypeError(`there is no endpoint ${endpoint}`);
      const parsed = parseRequest(route.surface, route.schemas, { query, body });
      const request: RouteRequest = {
        params,
        query: parsed.query,
        body: parsed.body,
        cookies: { ...jar.cookies },
        basketId: jar.basketId,
        actor,
        correlationId: derivedId('request', commandId),
        // Nobody's: however many shop in a simulation, they are counted together nowhere.
        ip: '',
        header: () => undefined,
        baseUrl: 'http://localhost',
        ...(route.isIdempotent ? { commandId } : {}),
      };
      const reply = await route.handle(request);
      keep(jar, reply);
      return reply;
    },
  };
};
