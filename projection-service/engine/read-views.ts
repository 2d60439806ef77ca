import type { Reply, Route, RouteRequest } from '#http/route.ts';
import { referenceState, type ProjectionDeps } from './service-deps.ts';

type Waiting = Pick<ProjectionDeps, 'waitForPosition' | 'formerLag'>;

/**
 * Answers once the views reflect what the caller has written before. What is still behind after the wait is shown all
 * the same, and so is a former version of a view that is being filled; the header Tillroll-Lag then says how many
 * seconds old it is.
 */
export const answerFromViews = async (
  { waitForPosition, formerLag }: Waiting,
  reads: NonNullable<Route['reads']>,
  { position }: Pick<RouteRequest, 'position'>,
  answer: () => Promise<Reply>,
): Promise<Reply> => {
  const former = reads.flatMap(({ name }) => formerLag(name) ?? []);
  if (position === undefined && former.length === 0) return answer();
  const awaited = position
    ? reads.map(({ name }) => ({
        name,
        upTo: name === referenceState.name ? position.reference : position.log,
      }))
    : [];
  const lags = await Promise.all(awaited.map(({ name, upTo }) => waitForPosition(name, upTo)));
  const reply = await answer();
  const lag = Math.max(-1, ...former, ...lags.filter((seconds) => seconds !== null));
  if (lag < 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'Tillroll-Lag': String(Math.ceil(lag)) } };
};

/** A query that is answered from the views that it reads. */
export const readViews = (waiting: Waiting, { reads = [], ...route }: Route): Route => ({
  ...route,
  reads,
  handle: (request) =>
    reads.length === 0
      ? route.handle(request)
      : answerFromViews(waiting, reads, request, () => route.handle(request)),
});
