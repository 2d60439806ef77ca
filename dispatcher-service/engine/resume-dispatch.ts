import { invalidRequest } from '#kernel/rejection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Resumable } from './resume-from-mark.ts';

/** What has been resumed, and after which position it goes on. */
export interface Resumed {
  readonly after: number;
  readonly resumed: readonly string[];
}

/**
 * Has everything go on that waits since a restore of the log; the rest stays as it is. `now`: after the last event
 * there is. Refused with `invalid-request` for a position that is no event's. Errors: `EngineUnavailable`.
 */
export const resumeDispatch = async (
  store: Pick<EventStore, 'head' | 'eventAt'>,
  resumables: readonly Resumable[],
  wish: number | 'now',
): Promise<Resumed> => {
  const head = await store.head();
  const from = await confirmMark(store, { position: wish === 'now' ? head : wish, eventId: null });
  if (!from) throw invalidRequest('from: must be "now", 0 or the position of an event');
  const resumed: string[] = [];
  for (const one of resumables) if (await one.resume({ from, head })) resumed.push(one.name);
  return { after: from.position, resumed };
};
