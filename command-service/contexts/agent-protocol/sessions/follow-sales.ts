import type { Logger } from 'pino';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Streams } from '#command/engine/streams.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { inParallel } from '#runtime/work-off.ts';
import { agentSessions } from './agent-session.stream.ts';
import type { OpenSessions } from './open-sessions.ts';

interface FollowSalesDeps {
  readonly openSessions: OpenSessions;
  readonly streams: Pick<Streams, 'send'>;
  readonly clock: Clock;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;

const metaOf = (invoiceId: string): CommandMeta => ({
  correlationId: invoiceId,
  causationId: invoiceId,
  actor: { kind: 'system', id: 'follow-sales' },
});

/**
 * Completes the session of each basket that was bought, whoever paid: the agent, later than it was told, or the shopper
 * to whom the basket was handed over. What a kill leaves undone is found by the next process.
 */
export const createFollowSales = ({ openSessions, streams, clock, reach, log }: FollowSalesDeps) => {
  /** False: the next one that wakes this, or the job, tries again. */
  const complete = async (sessionId: string): Promise<boolean> => {
    const sale = openSessions.saleOf(sessionId);
    if (sale === null) return true;
    try {
      const command = { type: 'CompleteSession', ...sale, now: isoInstant(clock.now()) } as const;
      await streams.send(agentSessions, sessionId, command, metaOf(sale.invoiceId));
      return true;
    } catch (err) {
      log.warn({ sessionId, err }, 'an agent session is told later that its basket was bought');
      return false;
    }
  };

  const completeAll = async (): Promise<void> => {
    const later: string[] = [];
    await reach();
    while (!runs.isStopped()) {
      const waiting = openSessions.takeSold(TAKEN_TOGETHER);
      if (waiting.length === 0) break;
      await inParallel(waiting, AT_ONCE, async (sessionId) => {
        if (!(await complete(sessionId))) later.push(sessionId);
      });
    }
    later.forEach(openSessions.putBack);
  };

  const runs = createBackgroundRuns(completeAll, (err) =>
    log.warn({ err }, 'agent sessions are told later that their baskets were bought'),
  );
  openSessions.watch(runs.wake);
  runs.wake();
  return { run: runs.run, idle: runs.idle, stop: runs.stop };
};
