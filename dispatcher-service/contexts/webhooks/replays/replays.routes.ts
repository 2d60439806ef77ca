import { entityParams } from '#contracts/management.contract.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import {
  replayBody,
  replayListQuery,
  replayPageSchema,
  replayParams,
  replaySchema,
} from '#contracts/webhook-replays.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import { actorName } from '#kernel/event.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { onceSeen } from '../../../engine/once-seen.ts';
import { countDeliveries, waitingReplayed } from '../delivery-rows.ts';
import { percentOf, type Replay } from './replay.ts';
import type { Replays } from './replays.ts';

export interface ReplayRoutesDeps {
  readonly replays: Replays;
  readonly stateStore: DocumentStore;
  /** Keeps subscriptions up to date. */
  readonly reference: Pick<LogProgress, 'waitFor'>;
}

const common = { base: 'management', service: 'dispatcher', file: import.meta.url } as const;

const shown = async ({ stateStore }: ReplayRoutesDeps, replay: Replay) => {
  const { _id: id, subscriptionId, from, to, include, status, queued, skipped, message } = replay;
  const { dateCreated, dateCompleted, askedBy = null, calledOffBy = null } = replay;
  const waiting =
    replay.runsFor === null ? 0 : await countDeliveries(stateStore, waitingReplayed(subscriptionId));
  const said = { id, subscriptionId, from, to, include, status, percent: percentOf(replay) };
  return { ...said, queued, waiting, skipped, message, dateCreated, dateCompleted, askedBy, calledOffBy };
};

const all = '/webhooks/{id}/replays';
const path = `${all}/{replayId}` as const;

const listRoute = (deps: ReplayRoutesDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: all,
    caller: reader,
    summary: 'List the replays of a subscription, newest first, by page',
    schemas: { params: entityParams, query: replayListQuery },
    response: replayPageSchema,
    errors: ['entity-not-found'],
    handle: (request) =>
      onceSeen([deps.reference], request, async () => {
        const { page, pageSize } = request.query;
        const asked = { skip: (page - 1) * pageSize, limit: pageSize };
        const { items, count } = await deps.replays.list(request.params.id, asked);
        return ok(
          pageResponse(await Promise.all(items.map((replay) => shown(deps, replay))), count, request.query),
        );
      }),
  });

/** What a receiver gets again, or for the first time (docs/rules/webhooks.md#replays). */
export const replayRoutes = (deps: ReplayRoutesDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/webhooks/{id}/replay',
    caller: admin,
    summary: 'Send what was given up, was never sent, or all of a time, once more',
    schemas: { params: entityParams, body: replayBody },
    response: replaySchema,
    status: 202,
    errors: ['entity-not-found', 'invalid-request', 'run-under-way'],
    handle: (request) =>
      onceSeen([deps.reference], request, async () => {
        const replay = await deps.replays.start(request.params.id, request.body, actorName(request.actor));
        return { status: 202, json: await shown(deps, replay) };
      }),
  }),
  listRoute(deps),
  route({
    ...common,
    method: 'GET',
    path,
    caller: reader,
    summary: 'Tell how far a replay is',
    schemas: { params: replayParams },
    response: replaySchema,
    errors: ['entity-not-found'],
    handle: async ({ params: { id, replayId } }) =>
      ok(await shown(deps, await deps.replays.get(id, replayId))),
  }),
  route({
    ...common,
    method: 'DELETE',
    path,
    caller: admin,
    summary: 'Call a replay off: what has not been sent yet is as it was before',
    schemas: { params: replayParams },
    response: replaySchema,
    errors: ['entity-not-found'],
    handle: async ({ params: { id, replayId }, actor }) =>
      ok(await shown(deps, await deps.replays.callOff(id, replayId, actorName(actor)))),
  }),
];
