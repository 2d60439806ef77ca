import { resumeBody, resumedResponse } from '#contracts/dispatch.contract.ts';
import { resumeDispatch } from '#dispatcher/engine/resume-dispatch.ts';
import type { Resumable } from '#dispatcher/engine/resume-from-mark.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { EventStore } from '#ports/event-store.ts';

export interface DispatchRoutesDeps {
  readonly store: EventStore;
  readonly resumables: readonly Resumable[];
}

/** Goes on with what goes out after a restore of the log (docs/rules/webhooks.md#after-a-restore). */
export const dispatchRoutes = ({ store, resumables }: DispatchRoutesDeps): readonly Route[] => [
  route({
    base: 'management',
    service: 'dispatcher',
    file: import.meta.url,
    method: 'POST',
    path: '/dispatch/resume',
    caller: admin,
    summary: 'Say where to go on with webhooks and handlers after the log was restored',
    schemas: { body: resumeBody },
    response: resumedResponse,
    status: 200,
    handle: async ({ body: { from } }) => ok(await resumeDispatch(store, resumables, from)),
  }),
];
