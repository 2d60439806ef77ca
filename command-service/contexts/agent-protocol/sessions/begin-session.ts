import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated } from '#command/engine/command-meta.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { SessionChanges, StartSession } from './agent-session.commands.ts';
import { isSession, type AgentSession } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import { isTheirs, timesOf, type SessionActionDeps } from './known-session.ts';
import { changed, from, newIds, rehearseGoods, type SeenSession } from './seen-session.ts';
import type { Settling } from './session-basket.ts';
import { customerNamed } from './session-buyer.ts';
import { matchedLines, type FoundLine } from './session-lines.ts';
import { askedFor, refuseOthers, sessionNotFound as notFound, type AskingAgent } from './session-member.ts';
import { nothingSent, sendingAfter, type Sent } from './session-sending.ts';

export type GivenChanges = Omit<SessionChanges, 'destinations' | 'fulfilment'>;

/** What a session begins with, its products found. */
export interface NewSession
  extends
    Sent,
    Pick<
      StartSession,
      | 'dialect'
      | 'version'
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
export const begin =
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

export const create =
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
