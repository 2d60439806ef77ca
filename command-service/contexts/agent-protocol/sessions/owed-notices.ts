import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import type { SessionNotice } from '#topics/agent-notice.ts';
import { idOf } from '#values/stream-name.ts';

/** The end of a session that its agent has yet to be told of. */
export interface OwedNotice {
  /** Id and position of the event. */
  readonly noticeId: string;
  readonly position: number;
  readonly notice: SessionNotice;
  readonly dueAt: string;
}

/** Which ends of sessions agents have yet to be told of. */
export interface OwedNotices extends ReferencePart {
  /** Takes at most `max`, by their sessions; they are not returned again until they are put back. */
  take(max: number): readonly (readonly [sessionId: string, owed: OwedNotice])[];
  /** Puts back one that could not be queued, without calling listeners. */
  putBack(sessionId: string): void;
  /** Called for each new one. */
  watch(listener: () => void): void;
}

const sessionFold = (
  entries: ChunkedEntries<OwedNotice>,
  tell: (sessionId: string) => void,
): Partial<Fold<AgentSessionEvent>> => ({
  AgentSessionNoticeDue: ({ id: noticeId, stream, position, data: { notice, dueAt } }) => {
    entries.set(idOf(stream), { noticeId, position, notice, dueAt });
    tell(idOf(stream));
  },
  AgentSessionNoticeQueued: ({ stream }) => void entries.delete(idOf(stream)),
});

/** Folded from the log, so that after a kill the next process finds what is unqueued. */
export const createOwedNotices = (): OwedNotices => {
  const listeners: (() => void)[] = [];
  const entries = new ChunkedEntries<OwedNotice>();
  const waiting = new Set<string>();
  const add = (sessionId: string): void => void waiting.add(sessionId);
  return {
    name: 'owed-session-notices',
    isBookkeeping: true,
    version: 1,
    on: sessionFold(entries, (sessionId) => {
      add(sessionId);
      for (const listener of listeners) listener();
    }),
    take: (max) =>
      [...waiting.values().take(max)].flatMap((sessionId) => {
        waiting.delete(sessionId);
        const owed = entries.get(sessionId);
        return owed ? [[sessionId, owed] as const] : [];
      }),
    putBack: add,
    watch: (listener) => void listeners.push(listener),
    entries,
    restore: (kept) => {
      for (const [sessionId, owed] of kept) {
        entries.set(sessionId, owed as OwedNotice);
        add(sessionId);
      }
    },
    clear: () => waiting.clear(),
  };
};
