import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { AloneOptions, RunAlone } from '#command/engine/run-alone.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { AgentInstrument, AgentMandate, AgentWebhooks } from '#events/agent-session.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { pause } from '#runtime/back-off.ts';
import { leftOfRequest } from '#runtime/request-deadline.ts';
import type { SeenSession } from '../sessions/seen-session.ts';
import { givingUp } from '../sessions/agent-session.decider.ts';
import type { StartCompletion } from '../sessions/agent-session.commands.ts';
import { completionOf, isSession, type AgentSession } from '../sessions/agent-session.state.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import { giveUpAwaited } from '../sessions/give-up-payment.ts';
import { completeSession, type OpenCompletion, type SessionPayment } from './complete-session.process.ts';
import { mayBeTriedAgain } from './completion-errors.ts';
import { completionCalls } from './pay-for-session.ts';

interface CompletionDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock' | 'reference' | 'settings'> {
  readonly ttlMinutes: number;
  readonly runAlone?: RunAlone;
}

/** A completion as a request asks for it: the same key means the same one. */
export interface AskedCompletion {
  readonly key: string;
  readonly instrument: AgentInstrument;
  readonly webhooks: AgentWebhooks | undefined;
  /** That was checked; undefined: none was asked for. */
  readonly mandate: AgentMandate | undefined;
  readonly payment: SessionPayment;
}

/** The session afterwards; null in `failed`: it is completed, or its payment is awaited. */
export interface Concluded {
  readonly session: AgentSession;
  readonly failed: AgentSession['failed'];
}

const MINUTE = 60_000;
const LOOK_EVERY_MILLISECONDS = 50;
/** Two drivers ask for the same order and payment, by the same keys: most completions need no lease. */
const asFirst: AloneOptions = { leaseAfterMilliseconds: 1000 };

const completionIdOf = (key: string, failures: number): string => derivedId('completion', key, failures);

const underWay = (session: AgentSession): string | null =>
  session.status === 'active' ? (session.completion?.completionId ?? null) : null;

/** What became of the completion with this id; null: it goes on. */
const conclusion = (session: AgentSession, completionId: string): Concluded | null => {
  if (completionOf(session)?.completionId === completionId) {
    const isOpen = session.status === 'active' && session.completion?.awaited === null;
    return isOpen ? null : { session, failed: null };
  }
  if (session.failed?.completionId === completionId) return { session, failed: session.failed };
  // Another one has begun since, or the shopper to whom it was handed over has bought the basket.
  throw new Rejection('checkout_not_modifiable', 'This checkout has gone on meanwhile. Read it again.');
};

const sessionNow = async (
  { streams }: Pick<CompletionDeps, 'streams'>,
  sessionId: string,
): Promise<AgentSession> => {
  const { state } = await streams.load(agentSessions, sessionId);
  if (!isSession(state)) throw new Rejection('not_found', 'This checkout was not found.');
  return state;
};

const startOf = (
  { clock }: CompletionDeps,
  { updates }: AgentSession,
  completionId: string,
  { instrument, webhooks, mandate }: Pick<AskedCompletion, 'instrument' | 'webhooks' | 'mandate'>,
): StartCompletion => ({
  type: 'StartCompletion',
  ...{ completionId, updates, instrument, webhooks, mandate },
  now: isoInstant(clock.now()),
});

/**
 * The completions that have come to nothing, once a payment that waits for the buyer is given up for this one: an order
 * is not closed for a completion that is refused, by a hook of the owner's or because the session was changed.
 */
const failuresBefore = async (
  deps: CompletionDeps,
  { sessionId, session }: SeenSession,
  asked: AskedCompletion,
  meta: CommandMeta,
): Promise<number> => {
  if (completionOf(session)?.awaited?.from === 'buyer') {
    const command = startOf(deps, session, completionIdOf(asked.key, session.failures + 1), asked);
    await deps.streams.rehearse(agentSessions, sessionId, command, stepMeta(meta));
  }
  const leftBehind = await giveUpAwaited(deps, session, meta);
  if (leftBehind === null) return session.failures;
  // Its time may have passed while it waited: it goes on for as long as after any other change.
  const now = deps.clock.now();
  const command = givingUp(leftBehind, isoInstant(now), isoInstant(now + deps.ttlMinutes * MINUTE));
  const { state } = await deps.streams.send(agentSessions, sessionId, command, stepMeta(meta));
  return isSession(state) ? state.failures : session.failures;
};

/** Whether this request has started it; else a repeat is at it, or was killed. */
const start = async (
  deps: CompletionDeps,
  { sessionId, session }: SeenSession,
  completionId: string,
  asked: AskedCompletion,
  meta: CommandMeta,
): Promise<boolean> => {
  if (underWay(session) === completionId) return false;
  const command = startOf(deps, session, completionId, asked);
  const { events } = await deps.streams.send(agentSessions, sessionId, command, stepMeta(meta));
  return events.length > 0;
};

/** Another process is at it. */
const follow = async (
  deps: CompletionDeps,
  sessionId: string,
  completionId: string,
  { askedAt = performance.now() }: CommandMeta,
): Promise<Concluded> => {
  for (;;) {
    const session = await sessionNow(deps, sessionId);
    const concluded = conclusion(session, completionId);
    if (concluded) return concluded;
    // It goes on by itself: the agent reads what came of it.
    if (leftOfRequest(askedAt) === 0) return { session, failed: null };
    await pause(LOOK_EVERY_MILLISECONDS);
  }
};

const openAs = (
  { clock, ttlMinutes }: CompletionDeps,
  sessionId: string,
  completionId: string,
  session: AgentSession,
  { isResumed, payment }: Pick<OpenCompletion, 'isResumed' | 'payment'>,
): OpenCompletion | null => {
  const completion = session.status === 'active' ? session.completion : null;
  if (completion?.completionId !== completionId) return null;
  const now = clock.now();
  const times = { now: isoInstant(now), expiresAt: isoInstant(now + ttlMinutes * MINUTE) };
  const { basketId } = session;
  const { startedAt } = completion;
  return { sessionId, basketId, completionId, isResumed, payment, startedAt, ...times };
};

/** What became of the same request before; null: it has not been seen, is under way, or may be tried again. */
export const knownCompletion = (session: AgentSession, key: string): Concluded | null => {
  const completion = completionOf(session);
  if (completion?.completionId === completionIdOf(key, session.failures)) {
    const isOpen = session.status === 'active' && completion.awaited === null;
    return isOpen ? null : { session, failed: null };
  }
  const { failed } = session;
  const isOurs = failed?.completionId === completionIdOf(key, session.failures - 1);
  return failed && isOurs && !mayBeTriedAgain(failed) ? { session, failed } : null;
};

/** Whether the same request has started what is under way. */
export const isUnderWayFor = (session: AgentSession, key: string): boolean =>
  underWay(session) === completionIdOf(key, session.failures);

/** Completions of sessions: the request that starts one drives it, the runner finds out what became of others. */
export const createCompletions = (deps: CompletionDeps) => {
  const { streams, runAlone } = deps;
  const instances = createInstances({
    process: completeSession,
    calls: completionCalls(deps),
    streams,
    ...(runAlone && { runAlone }),
  });
  return {
    /**
     * Starts a completion, or goes on with it, until it is known what comes of it. Errors: `checkout_not_modifiable`,
     * `basket-changed` where the session was updated since it was seen.
     */
    complete: async (seen: SeenSession, asked: AskedCompletion, meta: CommandMeta): Promise<Concluded> => {
      const { sessionId } = seen;
      const { key, payment } = asked;
      const completionId = completionIdOf(key, await failuresBefore(deps, seen, asked, meta));
      const isFirst = await start(deps, seen, completionId, asked, meta);
      const open = async () => {
        const { state } = await (isFirst
          ? streams.recall(agentSessions, sessionId)
          : streams.load(agentSessions, sessionId));
        return isSession(state)
          ? openAs(deps, sessionId, completionId, state, { isResumed: !isFirst, payment })
          : null;
      };
      await instances.run(completionId, stepMeta(meta), open, isFirst ? asFirst : {});
      const { state } = await streams.recall(agentSessions, sessionId);
      const concluded = isSession(state) ? conclusion(state, completionId) : null;
      return concluded ?? follow(deps, sessionId, completionId, meta);
    },

    /** Of a completion whose request is lost: a payment that was asked for is followed, and none is begun. */
    resume: async (sessionId: string, cause: CommandMeta) => {
      const completionId = underWay(await sessionNow(deps, sessionId));
      if (completionId === null) return null;
      return instances.run(completionId, cause, async () =>
        openAs(deps, sessionId, completionId, await sessionNow(deps, sessionId), {
          ...{ isResumed: true, payment: null },
        }),
      );
    },

    drain: () => instances.drain(),
  };
};

export type Completions = ReturnType<typeof createCompletions>;
