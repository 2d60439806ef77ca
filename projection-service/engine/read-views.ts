import type { Route } from '#http/route.ts';
import { referenceState, type ProjectionDeps } from './service-deps.ts';

/**
 * A query that waits until the views that it reads reflect what the caller has written before. What is still behind
 * after the wait is shown all the same; the header Tillroll-Lag then says how many seconds old it is.
 */
export const readViews = (
  { waitForPosition }: Pick<ProjectionDeps, 'waitForPosition'>,
  { reads = [], ...route }: Route,
): Route => ({
  ...route,
  reads,
  handle: async (request) => {
    const { position } = request;
    if (position === undefined || reads.length === 0) return route.handle(request);
    const { log, reference } = position;
    const lags = await Promise.all(
      reads.map(({ name }) => waitForPosition(name, name === referenceState.name ? reference : log)),
    );
    const reply = await route.handle(request);
    const lag = Math.max(-1, ...lags.filter((seconds) => seconds !== null));
    if (lag < 0) return reply;
    return { ...reply, headers: { ...reply.headers, 'Tillroll-Lag': String(Math.ceil(lag)) } };
  },
});
