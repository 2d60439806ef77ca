import { deliveryRoutes } from '#dispatcher/contexts/webhooks/deliveries.routes.ts';
import { webhookRoutes } from '#dispatcher/contexts/webhooks/webhooks.routes.ts';
import { errorReply } from '#http/errors.ts';
import { parseRequest } from '#http/parse-request.ts';
import { RouteTree } from '#http/route-tree.ts';
import { newId } from '#kernel/ids.ts';
import type { WebhookHouse } from './webhook-house.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Bodies are whatever the endpoint answers: tests look at the members that they are about.
  readonly body: Readonly<Record<string, unknown>>;
}

/** The dispatcher's endpoints, called by an admin, without a socket. */
export const webhookApi = (house: WebhookHouse) => {
  const deps = {
    stateStore: house.stores.stateStore,
    clock: house.clock,
    webhooks: house.webhooks,
    reference: house.follower,
    follower: house.dispatch.follower,
    attempts: house.dispatch.attempts,
    tallies: house.dispatch.tallies,
    sender: house.sender,
    settings: house.settings,
  };
  const tree = new RouteTree([...webhookRoutes(deps), ...deliveryRoutes(deps)]);
  const call = async (method: string, url: string, body?: unknown, position?: number): Promise<ApiAnswer> => {
    const { pathname, searchParams } = new URL(url, 'http://shop.test/backoffice/api/v1/');
    const query: Record<string, string | string[]> = {};
    for (const name of searchParams.keys()) {
      const given = searchParams.getAll(name);
      query[name] = given.length > 1 ? given : (given[0] ?? '');
    }
    const found = tree.find(method, pathname);
    if (found === null || !('route' in found)) throw new Error(`no route ${method} ${pathname}`);
    const correlationId = newId();
    const reply = await (async () => {
      try {
        const parsed = parseRequest(found.route.surface, found.route.schemas, { query, body });
        return await found.route.handle({
          ...parsed,
          params: found.params,
          cookies: {},
          basketId: null,
          actor: { kind: 'backoffice', id: 'test' },
          correlationId,
          ip: '::1',
          header: () => undefined,
          baseUrl: 'http://shop.test',
          ...(position === undefined ? {} : { position }),
        });
      } catch (error) {
        return errorReply(found.route.surface, error, correlationId);
      }
    })();
    return {
      status: reply.status,
      headers: reply.headers ?? {},
      body: (reply.json ?? {}) as ApiAnswer['body'],
    };
  };
  return {
    get: (url: string, position?: number) => call('GET', url, undefined, position),
    post: (url: string, body?: unknown) => call('POST', url, body),
  };
};
