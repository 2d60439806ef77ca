import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { isGuid } from '#kernel/ids.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { isDue, isSession, type AgentSession, type AgentSessionState } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import { mayExpire } from './paid-elsewhere.ts';
import type { SessionBasketDeps } from './session-basket.ts';
import { refuseOthers, sessionNotFound as notFound, type AskingAgent } from './session-member.ts';
import type { StoredAddresses } from './stored-addresses.ts';

export interface SessionActionDeps extends SessionBasketDeps, Pick<CommandDeps, 'clock' | 'commands'> {
  readonly ttlMinutes: number;
  readonly storedAddresses: StoredAddresses;
}

/** A session and its basket, as they are recorded. */
export interface KnownSession {
  readonly session: AgentSession;
  readonly basket: BasketState;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const READABLE_DAYS = 30;

export const timesOf = ({ clock, ttlMinutes }: SessionActionDeps) => {
  const now = clock.now();
  return { now: isoInstant(now), expiresAt: isoInstant(now + ttlMinutes * MINUTE) };
};

export const existing = (state: AgentSessionState): AgentSession => {
  if (!isSession(state)) throw notFound();
  return state;
};

export const isTheirs = (
  state: AgentSessionState,
  { profileUri, isVerified }: AskingAgent,
): state is AgentSession =>
  isSession(state) && state.agent === profileUri && (isVerified || !state.isVerified);

/** Its time may be over since; a final one is read for a while. Errors: Rejection `not_found`. */
export const owned = async (
  { streams, clock }: SessionActionDeps,
  agent: AskingAgent,
  sessionId: string,
  meta: CommandMeta,
): Promise<AgentSession> => {
  if (!isGuid(sessionId)) throw notFound();
  const { state } = await streams.load(agentSessions, sessionId);
  if (!isTheirs(state, agent)) throw notFound();
  refuseOthers(state, agent);
  const now = clock.now();
  if (state.status === 'active') {
    if (!(await mayExpire({ streams }, state, isoInstant(now)))) return state;
    const command = { type: 'ExpireSession', now: isoInstant(now) } as const;
    return existing((await streams.send(agentSessions, sessionId, command, stepMeta(meta))).state);
  }
  if (Date.parse(state.updatedAt) + READABLE_DAYS * DAY <= now) throw notFound();
  return state;
};

/**
 * The session with its basket, without waiting; null: it must be loaded. Nothing about such a session is out of date.
 * Errors: those of `refuseOthers`.
 */
export const settled = (
  { streams, clock }: SessionActionDeps,
  agent: AskingAgent,
  sessionId: string,
): KnownSession | null => {
  const session = isGuid(sessionId) ? streams.settled(agentSessions, sessionId) : undefined;
  if (session === undefined || !isTheirs(session, agent)) return null;
  refuseOthers(session, agent);
  if (session.status !== 'active' || isDue(session, isoInstant(clock.now()))) return null;
  const basket = streams.settled(basketLinesStream, session.basketId);
  return basket === undefined ? null : { session, basket };
};
