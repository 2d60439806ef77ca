import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated, stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId, isGuid } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { MemberPayments } from '../../payments/agents/agent-payments.commands.ts';
import type { SessionChanges, StartSession } from './agent-session.commands.ts';
import { open } from './agent-session.decider.ts';
import {
  completionOf,
  isBusy,
  isDue,
  isSession,
  type AgentSession,
  type AgentSessionState,
} from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import { giveUpAwaited, giveUpOrder } from './give-up-payment.ts';
import {
  asOrdered,
  asShopperHasIt,
  goodsCommand,
  settleBasket,
  type GoodsWanted,
  type SessionBasketDeps,
  type SettledBasket,
  type Settling,
} from './session-basket.ts';
import { mayExpire, refuseWhilePaid } from './paid-elsewhere.ts';
import { customerNamed } from './session-buyer.ts';
import {
  asBasketBearsOut,
  askedFor,
  memberPayments,
  refuseOthers,
  sessionNotFound as notFound,
  type AskingAgent,
} from './session-member.ts';
import { matchedLines, type FoundLine } from './session-lines.ts';
import { codeMessages } from './session-messages.ts';
import { nothingSent, sendingAfter, type Sent } from './session-sending.ts';
import type { StoredAddresses } from './stored-addresses.ts';

export interface SessionActionDeps extends SessionBasketDeps, Pick<CommandDeps, 'clock' | 'commands'> {
  readonly ttlMinutes: number;
  readonly storedAddresses: StoredAddresses;
}

/** A session with its basket. */
export interface SeenSession {
  readonly sessionId: string;
  readonly session: AgentSession;
  readonly basket: SettledBasket;
  /** Of the member to whom it is linked; null: it is a guest's, or over. */
  readonly payments: MemberPayments | null;
  /** What the agent is told of the codes that are not in force. */
  readonly messages: readonly ProtocolMessage[];
}

type GivenChanges = Omit<SessionChanges, 'destinations' | 'fulfilment'>;

/** What a session begins with, its products found. */
export interface NewSession
  extends
    Sent,
    Pick<
      StartSession,
      | 'dialect'
      | 'hasManyGroups'
      | 'agentName'
      | 'capabilities'
      | 'currency'
      | 'orderWebhookUrl'
      | 'sessionWebhookUrl'
    > {
  readonly lines: readonly FoundLine[];
  readonly changes: Omit<GivenChanges, 'lines'>;
}

/** `isNew`: false for one that had begun before this request. */
export interface BegunSession {
  readonly seen: SeenSession;
  readonly isNew: boolean;
}

/** What is there before a session: the ids of its streams, and the lines with theirs. */
type Beginning = Pick<StartSession, 'basketId' | 'cartId' | 'lines'> & { readonly sessionId: string };

/** What an update changes, its products found. */
export interface ChangedSession extends Sent, Omit<GivenChanges, 'lines'> {
  readonly lines?: readonly FoundLine[];
}

/** A session and its basket, as they are recorded. */
export interface KnownSession {
  readonly session: AgentSession;
  readonly basket: BasketState;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const READABLE_DAYS = 30;

/** Ids that a repeat gives again. */
const newIds =
  (kind: 'agent line' | 'agent destination', sessionId: string, command: string) =>
  (index: number): string =>
    derivedId(kind, sessionId, command, index);

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
const settled = (
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

/** What the basket follows. */
const followed = ({ lines, codes, buyer, destinations, fulfilment, context }: AgentSession) => ({
  ...{ lines, codes, buyer, destinations, fulfilment, context },
});

/** What another request has changed meanwhile is in the basket, too, whichever of them got there last. */
const seen = async (
  deps: SessionActionDeps,
  sessionId: string,
  session: AgentSession,
  meta: CommandMeta,
  settling: Settling = {},
): Promise<SeenSession> => {
  const basket = await settleBasket(deps, session, meta, settling);
  const current = basket.hasChanged
    ? existing((await deps.streams.load(agentSessions, sessionId)).state)
    : session;
  if (!isSameJson(followed(session), followed(current)))
    return seen(deps, sessionId, current, meta, settling);
  const messages = codeMessages(session.codes, (code) => basket.codeProblems.get(code) ?? null);
  const linked = asBasketBearsOut(current, basket.state);
  const shown = basket.ordered ? asOrdered(linked, basket.ordered) : asShopperHasIt(linked, basket.state);
  return { sessionId, session: shown, basket, payments: await memberPayments(deps, shown), messages };
};

const from = ({ ip }: AskingAgent): Settling => ({ ip: ip ?? null });

/** A session that was changed: its new addresses are kept, and its basket follows. */
const changed = async (
  deps: SessionActionDeps,
  sessionId: string,
  state: AgentSessionState,
  settling: Settling,
  meta: CommandMeta,
): Promise<SeenSession> => {
  const session = existing(state);
  if (session.status === 'active') await deps.storedAddresses.keep(session, meta);
  return seen(deps, sessionId, session, meta, settling);
};

/** Refused as the basket would refuse these goods; nothing is recorded. */
const rehearseGoods = (
  deps: SessionActionDeps,
  basketId: string,
  wanted: GoodsWanted,
  meta: CommandMeta,
): Promise<void> =>
  deps.streams.rehearse(basketLinesStream, basketId, goodsCommand(deps, wanted), stepMeta(meta));

/** The session that an earlier run of a request has begun; null: there is none. */
const begunBefore = async (
  { streams }: SessionActionDeps,
  sessionId: string,
): Promise<AgentSession | null> => {
  const { state } = await streams.recall(agentSessions, sessionId);
  return isSession(state) ? state : null;
};

/** What a shopper has taken over with its cart is linked by no one but them. */
const isShoppers = async (
  { streams }: SessionActionDeps,
  { basketId, cartId }: Pick<Beginning, 'basketId' | 'cartId'>,
): Promise<boolean> =>
  cartId !== null && (await streams.load(basketLinesStream, basketId)).state.handOver !== null;

/**
 * The basket follows the session, so that a repeat after a kill finds what it began. Errors: those of
 * `ReplaceBasketLines`; then there is no session. `not_found` where it is there and not to be shown.
 */
const begin =
  (deps: SessionActionDeps) =>
  async (
    agent: AskingAgent,
    { sessionId, ...beginning }: Beginning,
    { sending, changes: given, ...facts }: Omit<NewSession, 'lines'>,
    meta: CommandMeta,
  ): Promise<BegunSession> => {
    const { basketId, cartId, lines } = beginning;
    // Without a key it is not a repeat: under an id that was made just now nothing is there to be looked for.
    const isFirst = cartId === null && meta.commandId === undefined;
    const known = isFirst ? null : await begunBefore(deps, sessionId);
    if (known === null) await rehearseGoods(deps, basketId, { lines, context: given.context ?? null }, meta);
    const isLinkable = known !== null || !(await isShoppers(deps, beginning));
    const member = isLinkable ? await askedFor(deps, agent) : null;
    const customerId = known === null ? await customerNamed(deps, given.buyer, meta, member) : null;
    const newId = newIds('agent destination', sessionId, 'create');
    const sent = { sending, member, ...defined({ buyer: given.buyer }) };
    const changes = { ...given, ...(await sendingAfter(deps, { ...facts, ...nothingSent }, sent, newId)) };
    const command: StartSession = {
      type: 'StartSession',
      ...{ ...facts, changes },
      ...timesOf(deps),
      ...beginning,
      ...{ agent: agent.profileUri, isVerified: agent.isVerified, member, customerId },
    };
    const begun = await deps.streams.send(agentSessions, sessionId, command, meta, { isNewId: true });
    // A request with a signature may have made it of the same cart before.
    if (!isTheirs(begun.state, agent)) throw notFound();
    refuseOthers(begun.state, agent);
    const isNew = begun.events.length > 0;
    const settling: Settling = { ...from(agent), ...(isNew && { named: 'everything' }) };
    return { seen: await changed(deps, sessionId, begun.state, settling, meta), isNew };
  };

const create =
  (deps: SessionActionDeps) =>
  async (
    agent: AskingAgent,
    { lines: found, ...facts }: NewSession,
    meta: CommandMeta,
  ): Promise<SeenSession> => {
    const sessionId = idOfCreated('agentSession', meta);
    const basketId = derivedId('basket of agent session', sessionId);
    const lines = matchedLines([], found, newIds('agent line', sessionId, 'create'));
    return (await begin(deps)(agent, { sessionId, basketId, cartId: null, lines }, facts, meta)).seen;
  };

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
