import {
  seriesProblem,
  webhookSeries,
  webhookSeriesQuery,
  webhookStats,
  webhookStatsQuery,
} from '#contracts/webhook-stats.contract.ts';
import { ok, reader, route, type Route } from '#http/route.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import { invalidRequest } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import { onceSeen } from '../../engine/once-seen.ts';
import { known } from './known-subscription.ts';
import { seriesOfWebhooks, statsOfWebhooks } from './webhook-stats.ts';

export interface StatsRoutesDeps {
  readonly stateStore: DocumentStore;
  readonly webhooks: WebhookReference;
  readonly clock: Clock;
  /** Keeps `webhooks` up to date. */
  readonly reference: Pick<LogProgress, 'waitFor'>;
  /** Turns the log into deliveries. */
  readonly follower: Pick<LogProgress, 'waitFor'>;
}

const common = {
  base: 'management',
  service: 'dispatcher',
  file: import.meta.url,
} as const;

/** How deliveries went (docs/rules/webhooks.md#figures). */
export const statsRoutes = (deps: StatsRoutesDeps): readonly Route[] => {
  const { stateStore, webhooks, clock, reference, follower } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/webhooks/stats',
      caller: reader,
      summary:
        'Tell how deliveries went, of all time or of those created from … to, of one subscription or of all',
      schemas: { query: webhookStatsQuery },
      response: webhookStats,
      errors: ['invalid-request', 'entity-not-found'],
      handle: (request) =>
        onceSeen([reference, follower], request, async () => {
          if (request.query.subscriptionId !== undefined) known(webhooks, request.query.subscriptionId);
          return ok(await statsOfWebhooks(stateStore, webhooks, request.query));
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/webhooks/series',
      caller: reader,
      summary: 'Tell how the deliveries of each hour or day went, for a chart',
      schemas: { query: webhookSeriesQuery },
      response: webhookSeries,
      errors: ['invalid-request', 'entity-not-found'],
      handle: (request) =>
        onceSeen([reference, follower], request, async () => {
          const { query } = request;
          const { from, to = isoInstant(clock.now()), interval } = query;
          const problem = seriesProblem(from, to, interval);
          if (problem !== null) throw invalidRequest(problem);
          if (query.subscriptionId !== undefined) known(webhooks, query.subscriptionId);
          return ok(await seriesOfWebhooks(stateStore, { ...query, to }));
        }),
    }),
  ];
};
