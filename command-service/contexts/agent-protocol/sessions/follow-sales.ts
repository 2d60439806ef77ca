import type { Logger } from 'pino';
import { createBackgroundRuns } from '#command/engine/background-runs.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { inParallel } from '#runtime/work-off.ts';
import type { AgentPaid } from '../../payments/agents/agent-payments.commands.ts';
import type { AgentSessionCommand } from './agent-session.commands.ts';
import type { AgentSessionState } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import type { OpenSessions } from './open-sessions.ts';

interface FollowSalesDeps {
  readonly openSessions: OpenSessions;
  readonly streams: Pick<CommandDeps['streams'], 'load' | 'send'>;
  readonly apis: { readonly payments: Pick<CommandDeps['apis']['payments'], 'paidByNow'> };
  readonly clock: Pick<CommandDeps['clock'], 'now'>;
  readonly ttlMinutes: number;
  /** Resolves once this process has read the log up to its head. */
  readonly reach: () => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
}

const AT_ONCE = 8;
const TAKEN_TOGETHER = 200;
const MINUTE = 60_000;

const metaOf = (invoiceId: string): CommandMeta => ({
  correlationId: invoiceId,
  causationId: invoiceId,
  actor: { kind: 'system', id: 'follow-sales' },
});

/** What a session is told of the payment that it awaits; null: it awaits none. `paid` null: it came to nothing. */
export const concludesAwaited = (
  state: AgentSessionState,
  paid: AgentPaid | null,
  { now, expiresAt }: { readonly now: string; readonly expiresAt: string },
): AgentSessionCommand | null => {
  const completion = state.status === 'active' ? state.completion : null;
  if (!completion?.awaited) return null;
  const { completionId, awaited } = completion;
  const { invoiceId } = awaited;
  if (paid?.kind === 'bought')
    return { type: 'CompleteSession', invoiceId, invoiceNumber: paid.invoiceNumber, now };
  if (paid?.kind === 'awaited') {
    const { from } = paid;
    // Stays where the buyer was sent: a page opened on the same order since is another payer's.
    const continueUrl = from === 'buyer' ? (awaited.continueUrl ?? paid.continueUrl) : null;
    return { type: 'AwaitPayment', completionId, invoiceId, from, continueUrl, now };
  }
  const message = paid?.message ?? 'The payment was not made.';
  return { type: 'FailCompletion', completionId, invoiceId, code: 'payment_failed', message, now, expiresAt };
};

/**
 * Completes the session of each basket that was bought: by the agent, later than it was told, or by the shopper to whom
 * the basket was handed over. Reopens those whose awaited payment came to nothing. The next process finds what a kill
 * leaves undone.
 */
export const createFollowSales = ({
  openSessions,
  streams,
  apis,
  clock,
  ttlMinutes,
  reach,
  log,
}: FollowSalesDeps) => {
  const timesNow = () => {
    const now = clock.now();
    return { now: isoInstant(now), expiresAt: isoInstant(now + ttlMinutes * MINUTE) };
  };

  const toldOf = async (sessionId: string): Promise<AgentSessionCommand | null> => {
    const sale = openSessions.saleOf(sessionId);
    if (sale !== null) return { type: 'CompleteSession', ...sale, now: timesNow().now };
    const { state } = await streams.load(agentSessions, sessionId);
    const completion = state.status === 'active' ? state.completion : null;
    if (!completion?.awaited) return null;
    const { startedAt, awaited } = completion;
    const { invoiceId } = awaited;
    const paid = await apis.payments.paidByNow(invoiceId, startedAt, metaOf(invoiceId));
    return concludesAwaited(state, paid, timesNow());
  };

  /** False: the next one that wakes this, or the job, tries again. */
  const conclude = async (sessionId: string): Promise<boolean> => {
    try {
      const command = await toldOf(sessionId);
      if (command) await streams.send(agentSessions, sessionId, command, metaOf(sessionId));
      return true;
    } catch (err) {
      log.warn({ sessionId, err }, 'an agent session is told later what became of its payment');
      return false;
    }
  };

  const concludeAll = async (): Promise<void> => {
    const later: string[] = [];
    await reach();
    while (!runs.isStopped()) {
      const waiting = openSessions.takeNews(TAKEN_TOGETHER);
      if (waiting.length === 0) break;
      await inParallel(waiting, AT_ONCE, async (sessionId) => {
        if (!(await conclude(sessionId))) later.push(sessionId);
      });
    }
    later.forEach(openSessions.putBack);
  };

  const runs = createBackgroundRuns(concludeAll, (err) =>
    log.warn({ err }, 'agent sessions are told later what became of their payments'),
  );
  openSessions.watch(runs.wake);
  runs.wake();
  return { run: runs.run, idle: runs.idle, stop: runs.stop };
};
