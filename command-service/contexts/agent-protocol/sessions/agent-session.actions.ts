import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated, stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId, isGuid } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { SessionChanges, StartSession } from './agent-session.commands.ts';
import { isDue, isSession, type AgentSession, type AgentSessionState } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import {
  goodsCommand,
  settleBasket,
  type GoodsWanted,
  type SessionBasketDeps,
  type SettledBasket,
} from './session-basket.ts';
import { matchedLines, type FoundLine } from './session-lines.ts';
import { codeMessages } from './session-messages.ts';

export interface SessionActionDeps extends SessionBasketDeps, Pick<CommandDeps, 'clock'> {
  readonly ttlMinutes: number;
}

/** Who asks: what a verified request has made is shown to verified requests of its profile only. */
export interface AskingAgent {
  readonly profileUri: string;
  readonly isVerified: boolean;
}

/** A session with its basket. */
export interface SeenSession {
  readonly sessionId: string;
  readonly session: AgentSession;
  readonly basket: SettledBasket;
  /** What the agent is told of the codes that are not in force. */
  readonly messages: readonly ProtocolMessage[];
}

/** What a session begins with, its products found. */
export interface NewSession extends Pick<
  StartSession,
  | 'dialect'
  | 'memberId'
  | 'hasManyGroups'
  | 'agentName'
  | 'capabilities'
  | 'currency'
  | 'orderWebhookUrl'
  | 'sessionWebhookUrl'
  | 'changes'
> {
  readonly lines: readonly FoundLine[];
}

/** What an update changes, its products found. */
export interface ChangedSession extends Omit<SessionChanges, 'lines'> {
  readonly lines?: readonly FoundLine[];
}

/** A session that is about to be changed. */
export interface KnownSession {
  readonly session: AgentSession;
  readonly basket: BasketState;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const READABLE_DAYS = 30;

const notFound = (): Rejection => new Rejection('not_found', 'This checkout was not found.');

const lineIds =
  (sessionId: string, command: string) =>
  (index: number): string =>
    derivedId('agent line', sessionId, command, index);

const timesOf = ({ clock, ttlMinutes }: SessionActionDeps) => {
  const now = clock.now();
  return { now: isoInstant(now), expiresAt: isoInstant(now + ttlMinutes * MINUTE) };
};

const existing = (state: AgentSessionState): AgentSession => {
  if (!isSession(state)) throw notFound();
  return state;
};

const isTheirs = (state: AgentSessionState, { profileUri, isVerified }: AskingAgent): state is AgentSession =>
  isSession(state) && state.agent === profileUri && (isVerified || !state.isVerified);

/** Its time may be over since; a final one is read for a while. Errors: Rejection `not_found`. */
const owned = async (
  { streams, clock }: SessionActionDeps,
  agent: AskingAgent,
  sessionId: string,
  meta: CommandMeta,
): Promise<AgentSession> => {
  if (!isGuid(sessionId)) throw notFound();
  const { state } = await streams.load(agentSessions, sessionId);
  if (!isTheirs(state, agent)) throw notFound();
  const now = clock.now();
  if (state.status === 'active') {
    if (!isDue(state, isoInstant(now))) return state;
    const command = { type: 'ExpireSession', now: isoInstant(now) } as const;
    return existing((await streams.send(agentSessions, sessionId, command, stepMeta(meta))).state);
  }
  if (Date.parse(state.updatedAt) + READABLE_DAYS * DAY <= now) throw notFound();
  return state;
};

/** What another request has changed meanwhile is in the basket, too, whichever of them got there last. */
const seen = async (
  deps: SessionActionDeps,
  sessionId: string,
  session: AgentSession,
  meta: CommandMeta,
): Promise<SeenSession> => {
  const basket = await settleBasket(deps, session, meta);
  const current = existing((await deps.streams.load(agentSessions, sessionId)).state);
  const { lines, codes } = session;
  if (!isSameJson({ lines, codes }, { lines: current.lines, codes: current.codes }))
    return seen(deps, sessionId, current, meta);
  const messages = codeMessages(codes, (code) => basket.codeProblems.get(code) ?? null);
  return { sessionId, session: current, basket, messages };
};

/** Refused as the basket would refuse these goods; nothing is recorded. */
const rehearseGoods = (
  deps: SessionActionDeps,
  basketId: string,
  wanted: GoodsWanted,
  meta: CommandMeta,
): Promise<void> =>
  deps.streams.rehearse(basketLinesStream, basketId, goodsCommand(deps, wanted), stepMeta(meta));

/**
 * The basket follows the session, so that a repeat after a kill finds what it began. Errors: those of
 * `ReplaceBasketLines`; then there is no session.
 */
const create =
  (deps: SessionActionDeps) =>
  async (
    agent: AskingAgent,
    { lines: found, ...facts }: NewSession,
    meta: CommandMeta,
  ): Promise<SeenSession> => {
    const sessionId = idOfCreated('agentSession', meta);
    const basketId = derivedId('basket of agent session', sessionId);
    const lines = matchedLines([], found, lineIds(sessionId, 'create'));
    const known = await deps.streams.recall(agentSessions, sessionId);
    if (!isSession(known.state))
      await rehearseGoods(deps, basketId, { lines, context: facts.changes.context ?? null }, meta);
    const command: StartSession = {
      type: 'StartSession',
      ...facts,
      ...timesOf(deps),
      ...{ basketId, cartId: null, lines },
      ...{ agent: agent.profileUri, isVerified: agent.isVerified },
    };
    const { state } = await deps.streams.send(agentSessions, sessionId, command, meta, { isNewId: true });
    return seen(deps, sessionId, existing(state), meta);
  };

/** One that is not open is not asked what changes: its refusal says why. */
const update =
  (deps: SessionActionDeps) =>
  async (
    agent: AskingAgent,
    sessionId: string,
    changesTo: (known: KnownSession) => ChangedSession,
    meta: CommandMeta,
  ): Promise<SeenSession> => {
    const session = await owned(deps, agent, sessionId, meta);
    const { basketId } = session;
    const isOpen = session.status === 'active' && session.completion === null;
    const { state: basket } = await deps.streams.recall(basketLinesStream, basketId);
    const { lines: found, ...others } = isOpen ? changesTo({ session, basket }) : {};
    const newLineId = lineIds(sessionId, meta.commandId ?? meta.causationId);
    const lines = found && matchedLines(session.lines, found, newLineId);
    if (lines) await rehearseGoods(deps, basketId, { lines, context: session.context }, meta);
    const changes = { ...others, ...(lines && { lines }) };
    const command = { type: 'UpdateSession', changes, ...timesOf(deps) } as const;
    const { state } = await deps.streams.send(agentSessions, sessionId, command, meta);
    return seen(deps, sessionId, existing(state), meta);
  };

const cancel =
  (deps: SessionActionDeps) =>
  async (agent: AskingAgent, sessionId: string, meta: CommandMeta): Promise<SeenSession> => {
    await owned(deps, agent, sessionId, meta);
    const command = { type: 'CancelSession', now: timesOf(deps).now } as const;
    const { state } = await deps.streams.send(agentSessions, sessionId, command, meta);
    return seen(deps, sessionId, existing(state), meta);
  };

/**
 * The use cases of a checkout session, in no protocol's words (docs/rules/agent-sessions.md). Errors: Rejection
 * `not_found` and `checkout_not_modifiable`; of an update also those of `ReplaceBasketLines`, and nothing is changed.
 */
export const createSessionActions = (deps: SessionActionDeps) => ({
  create: create(deps),
  read: async (agent: AskingAgent, sessionId: string, meta: CommandMeta): Promise<SeenSession> =>
    seen(deps, sessionId, await owned(deps, agent, sessionId, meta), meta),
  update: update(deps),
  /** The form in which it was begun; null: the agent has no such session. */
  dialectOf: async (agent: AskingAgent, sessionId: string): Promise<string | null> => {
    if (!isGuid(sessionId)) return null;
    const { state } = await deps.streams.recall(agentSessions, sessionId);
    return isTheirs(state, agent) ? state.dialect : null;
  },
  /** What its basket holds of an order goes back when that order expires. */
  cancel: cancel(deps),
});

export type SessionActions = ReturnType<typeof createSessionActions>;
