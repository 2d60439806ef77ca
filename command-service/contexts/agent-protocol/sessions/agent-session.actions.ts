import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isGuid } from '#kernel/ids.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { SessionChanges } from './agent-session.commands.ts';
import { open } from './agent-session.decider.ts';
import { completionOf, isBusy, type AgentSession } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import { begin, create, type GivenChanges } from './begin-session.ts';
import { giveUpAwaited, giveUpOrder } from './give-up-payment.ts';
import {
  existing,
  isTheirs,
  owned,
  settled,
  timesOf,
  type KnownSession,
  type SessionActionDeps,
} from './known-session.ts';
import { refuseWhilePaid } from './paid-elsewhere.ts';
import { changed, from, newIds, rehearseGoods, seen, type SeenSession } from './seen-session.ts';
import { customerNamed } from './session-buyer.ts';
import { matchedLines, type FoundLine } from './session-lines.ts';
import { askedFor, type AskingAgent } from './session-member.ts';
import { sendingAfter, type Sent } from './session-sending.ts';

/** What an update changes, its products found. */
export interface ChangedSession extends Sent, Omit<GivenChanges, 'lines'> {
  readonly lines?: readonly FoundLine[];
}

/** Links a guest's session that is completed with a member's token. Errors: those of an update. */
const linkFirst =
  (deps: SessionActionDeps) =>
  async (agent: AskingAgent, seen: SeenSession, meta: CommandMeta): Promise<SeenSession> => {
    const { sessionId, session, basket } = seen;
    const isGuests = session.memberId === null && isUndisturbed(session) && basket.state.handOver === null;
    return isGuests && agent.memberId !== undefined
      ? update(deps)(agent, sessionId, () => ({}), stepMeta(meta))
      : seen;
  };

/** No payment is under way but one that waits for the buyer. */
const isUndisturbed = (session: AgentSession): boolean => session.status === 'active' && !isBusy(session);

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
    const isOpen = isUndisturbed(session);
    const { state: basket } = await deps.streams.load(basketLinesStream, basketId);
    if (isOpen) await refuseWhilePaid(deps, session, basket);
    const { lines: found, sending, ...others }: ChangedSession = isOpen ? changesTo({ session, basket }) : {};
    const commandId = meta.commandId ?? meta.causationId;
    const lines = found && matchedLines(session.lines, found, newIds('agent line', sessionId, commandId));
    if (lines) await rehearseGoods(deps, basketId, { lines, context: session.context }, meta);
    const newId = newIds('agent destination', sessionId, commandId);
    // A session that a shopper has taken over is linked only by their own sign-in.
    const member = basket.handOver === null ? await askedFor(deps, agent) : null;
    const sent = await sendingAfter(deps, session, { sending, ...others, member }, newId);
    const changes = { ...others, ...sent, ...(lines && { lines }) };
    const customerId = await customerNamed(deps, changes.buyer, meta, member);
    const command = { type: 'UpdateSession', member, changes, customerId, ...timesOf(deps) } as const;
    if (isOpen && completionOf(session) !== null) {
      // Hooks are asked first: an update that they refuse must not close the order.
      if (deps.commands.isHooked)
        await deps.streams.rehearse(agentSessions, sessionId, command, stepMeta(meta));
      await giveUpAwaited(deps, session, meta);
    }
    const { state } = await deps.streams.send(agentSessions, sessionId, command, meta);
    const named = Object.keys(changes) as (keyof SessionChanges)[];
    return changed(deps, sessionId, state, { ...from(agent), named }, meta);
  };

const cancel =
  (deps: SessionActionDeps) =>
  async (agent: AskingAgent, sessionId: string, meta: CommandMeta): Promise<SeenSession> => {
    const session = await owned(deps, agent, sessionId, meta);
    if (isUndisturbed(session)) {
      const { state: basket } = await deps.streams.load(basketLinesStream, session.basketId);
      await refuseWhilePaid(deps, session, basket);
      // Of a completion that has begun meanwhile the order is not closed: what would be refused changes nothing.
      open((await deps.streams.load(agentSessions, sessionId)).state, timesOf(deps).now);
      if (basket.order) await giveUpOrder(deps, basket.order.invoiceId, meta);
    }
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
  /** The same with the ids and the lines of a cart. */
  begin: begin(deps),
  /** As it is recorded, its basket not brought to it yet. */
  look: async (agent: AskingAgent, sessionId: string, meta: CommandMeta): Promise<KnownSession> => {
    const session = await owned(deps, agent, sessionId, meta);
    return { session, basket: (await deps.streams.load(basketLinesStream, session.basketId)).state };
  },
  /** What `look` would return, at once where it can. */
  settled: (agent: AskingAgent, sessionId: string): KnownSession | null => settled(deps, agent, sessionId),
  read: async (agent: AskingAgent, sessionId: string, meta: CommandMeta): Promise<SeenSession> =>
    seen(deps, sessionId, await owned(deps, agent, sessionId, meta), meta, from(agent)),
  update: update(deps),
  linkFirst: linkFirst(deps),
  /** The form in which it was begun; null: the agent has no such session. */
  dialectOf: async (agent: AskingAgent, sessionId: string): Promise<string | null> => {
    if (!isGuid(sessionId)) return null;
    const { state } = await deps.streams.recall(agentSessions, sessionId);
    return isTheirs(state, agent) ? state.dialect : null;
  },
  /** What its basket holds of an unpaid order goes back. */
  cancel: cancel(deps),
});

export type SessionActions = ReturnType<typeof createSessionActions>;
