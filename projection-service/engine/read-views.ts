import type { Reply, RouteRequest } from '#http/route.ts';
import type { ProjectionDeps } from './service-deps.ts';

/**
 * Answers a query from views once they reflect what the caller has written before. What is still behind after the
 * wait is answered all the same; the header Tillroll-Lag then says how many seconds old it is (architecture, section
 * 5).
 */
export const readViews = async (
  { waitForPosition }: Pick<ProjectionDeps, 'waitForPosition'>,
  views: readonly string[],
  { position }: Pick<RouteRequest, 'position'>,
  query: () => Promise<Reply>,
): Promise<Reply> => {
  if (position === undefined) return query();
  const lags = await Promise.all(views.map((view) => waitForPosition(view, position)));
  const reply = await query();
  const lag = Math.max(-1, ...lags.filter((seconds) => seconds !== null));
  if (lag < 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'Tillroll-Lag': String(Math.ceil(lag)) } };
};
