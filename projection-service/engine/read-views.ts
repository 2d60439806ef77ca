import type { Route } from '#http/route.ts';
import { referenceState, type ProjectionDeps } from './service-deps.ts';

/**
 * A query that waits until the views that it reads reflect what the caller has written before. What is still behind
 * after the wait is shown all the same, and so is a former version of a view that is being filled; the header
 * Tillroll-Lag then says how many seconds old it is.
 */
export const readViews = (
  { waitForPosition, formerLag }: Pick<ProjectionDeps, 'waitForPosition' | 'formerLag'>,
  { reads = [], ...route }: Route,
): Route => ({
  ...route,
  reads,
  handle: async (request) => {
    const { position } = request;
    const former = reads.flatMap(({ name }) => formerLag(name) ?? []);
    if (reads.length === 0 || (position === undefined && former.length === 0)) return route.handle(request);
    const awaited = position
      ? reads.map(({ name }) => ({
          name,
          upTo: name === referenceState.name ? position.reference : position.log,
        }))
      : [];
    const lags = await Promise.all(awaited.map(({ name, upTo }) => waitForPosition(name, upTo)));
    const reply = await route.handle(request);
    const lag = Math.max(-1, ...former, ...lags.filter((seconds) => seconds !== null));
    if (lag < 0) return reply;
    return { ...reply, headers: { ...reply.headers, 'Tillroll-Lag': String(Math.ceil(lag)) } };
  },
});
