import type { Reply, RouteRequest } from '#http/route.ts';
import type { LogProgress } from '#kernel/log-progress.ts';

const READ_YOUR_WRITES_MILLISECONDS = 2000;

/**
 * Answers once what the caller has written before can be seen, and after two seconds all the same; the header
 * Tillroll-Lag then says so (docs/architecture.md#reading-what-was-just-written).
 */
export const onceSeen = async (
  followers: readonly Pick<LogProgress, 'waitFor'>[],
  { position }: Pick<RouteRequest, 'position'>,
  query: () => Promise<Reply>,
): Promise<Reply> => {
  if (position === undefined) return query();
  const waits = followers.map((one) => one.waitFor(position.log, READ_YOUR_WRITES_MILLISECONDS));
  const isSeen = (await Promise.all(waits)).every((isReached) => isReached);
  const reply = await query();
  if (isSeen) return reply;
  const lag = String(READ_YOUR_WRITES_MILLISECONDS / 1000);
  return { ...reply, headers: { ...reply.headers, 'Tillroll-Lag': lag } };
};
