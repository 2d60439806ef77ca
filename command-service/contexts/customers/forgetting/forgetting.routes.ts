import { metaOf } from '#command/engine/request-meta.ts';
import { forgetBody, forgotten } from '#contracts/forgetting.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { ForgettingActions } from './forgetting.actions.ts';
import { forgottenResponse } from './forgetting.response.ts';

/** docs/rules/forgetting.md */
export const forgettingRoutes = (actions: ForgettingActions): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/customers/{id}/forget',
    summary: 'Forget a customer for good: keys, account, saved methods, and who bought what',
    schemas: { params: entityParams, body: forgetBody },
    response: forgotten,
    errors: ['invalid-request', 'entity-not-found', 'money-still-due', 'order-being-placed'],
    handle: async (request) => {
      const done = await actions.forget(request.params.id, request.body, metaOf(request));
      return ok(forgottenResponse(done), { position: done.position });
    },
  }),
];
