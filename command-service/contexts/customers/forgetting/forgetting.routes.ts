import { metaOf } from '#command/engine/request-meta.ts';
import { forgetBody, forgotten } from '#contracts/forgetting.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { streamOf } from '#values/stream-name.ts';
import type { ForgottenPerson } from '../customer.commands.ts';
import type { ForgettingActions } from './forgetting.actions.ts';
import { forgottenResponse, type KeptDays } from './forgetting.response.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  method: 'POST',
  response: forgotten,
} as const;

const refusalsOfGuests = [
  'invalid-request',
  'entity-not-found',
  'belongs-to-customer',
  'money-still-due',
  'order-being-placed',
] as const;

const namedByAgents = [
  { path: '/agent-sessions', what: 'checkout session', streamOfOne: streamOf.agentSession },
  { path: '/agent-carts', what: 'agent cart', streamOfOne: streamOf.agentCart },
] as const;

/** docs/rules/forgetting.md#when */
export const forgettingRoutes = (actions: ForgettingActions, kept: KeptDays): readonly Route[] => {
  const reply = (done: ForgottenPerson) => ok(forgottenResponse(done, kept), { position: done.position });
  return [
    route({
      ...common,
      path: '/customers/{id}/forget',
      summary: 'Forget a customer for good: keys, account, saved methods, and who bought what',
      schemas: { params: entityParams, body: forgetBody },
      errors: ['invalid-request', 'entity-not-found', 'money-still-due', 'order-being-placed'],
      handle: async (request) =>
        reply(await actions.forget(request.params.id, request.body, metaOf(request))),
    }),
    route({
      ...common,
      path: '/abandoned-checkouts/{id}/forget',
      summary: 'Forget for good who left a checkout and was never a customer',
      schemas: { params: entityParams, body: forgetBody },
      errors: [...refusalsOfGuests],
      handle: async (request) =>
        reply(await actions.forgetRecord(request.params.id, request.body, metaOf(request))),
    }),
    ...namedByAgents.map(({ path, what, streamOfOne }) =>
      route({
        ...common,
        path: `${path}/{id}/forget`,
        summary: `Forget for good a buyer whom an agent named in this ${what} and who was never a customer`,
        schemas: { params: entityParams, body: forgetBody },
        errors: [...refusalsOfGuests],
        handle: async (request) =>
          reply(
            await actions.forgetNamed(streamOfOne(request.params.id), what, request.body, metaOf(request)),
          ),
      }),
    ),
  ];
};
