import type { Logger } from 'pino';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Streams } from '#command/engine/streams.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { Pace } from '#runtime/pace.ts';
import { workOffDue } from '#runtime/work-off.ts';
import { isSession } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import type { OpenSessions } from './open-sessions.ts';
import { mayExpire } from './paid-elsewhere.ts';

interface ExpireSessionsDeps {
  readonly openSessions: OpenSessions;
  readonly streams: Pick<Streams, 'load' | 'send'>;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  /** Those of whose payments there is news that they could not be told yet. */
  readonly tellNews: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
  readonly pace?: Pace;
}

/** What came of a pass. */
export type ExpiredSessions = Readonly<Record<'expired' | 'kept' | 'failed', number>>;

interface ExpiringJob extends Job {
  runOnce(now: number, signal?: AbortSignal): Promise<ExpiredSessions>;
}

/** Ended side by side, they share commits of the log with each other and with callers. */
const AT_ONCE = 64;

const metaOf = (sessionId: string): CommandMeta => ({
  correlationId: sessionId,
  causationId: 'expire-agent-sessions',
  actor: { kind: 'system', id: 'expire-agent-sessions' },
});

/** Ends the sessions whose time is over (docs/rules/agent-sessions.md#expiry). */
export const expireSessions = ({
  openSessions,
  streams,
  reach,
  tellNews,
  log,
  pace,
}: ExpireSessionsDeps): ExpiringJob => ({
  name: 'expire-agent-sessions',
  schedule: '* * * * *',
  worksOff: openSessions.name,
  runOnce: async (now, signal) => {
    await reach();
    await tellNews();
    const command = { type: 'ExpireSession', now: isoInstant(now) } as const;
    const {
      done: expired,
      kept,
      failed,
    } = await workOffDue({
      takeDue: (max) => openSessions.takeDue(now, max),
      putBack: openSessions.putBack,
      atOnce: AT_ONCE,
      signal,
      ...defined({ pace }),
      act: async (sessionId) => {
        // Only a session that was ordered once needs a look at its basket and order, to see that no one is paying.
        if (openSessions.mayBePaid(sessionId)) {
          const { state } = await streams.load(agentSessions, sessionId);
          if (!isSession(state) || !(await mayExpire({ streams }, state, command.now))) return false;
        }
        const meta = metaOf(sessionId);
        const { events } = await streams.send(agentSessions, sessionId, command, meta, { isLast: true });
        return events.length > 0;
      },
      onFailure: (sessionId, err) => log.warn({ sessionId, err }, 'an agent session expires later'),
    });
    return { expired, kept, failed };
  },
});
