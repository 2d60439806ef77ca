import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { derivedId } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { MemberPayments } from '../../payments/agents/agent-payments.commands.ts';
import type { AgentSession, AgentSessionState } from './agent-session.state.ts';
import { agentSessions } from './agent-session.stream.ts';
import { existing, type SessionActionDeps } from './known-session.ts';
import {
  asOrdered,
  asShopperHasIt,
  goodsCommand,
  settleBasket,
  type GoodsWanted,
  type SettledBasket,
  type Settling,
} from './session-basket.ts';
import { asBasketBearsOut, memberPayments, type AskingAgent } from './session-member.ts';
import { codeMessages } from './session-messages.ts';

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

/** Ids that a repeat gives again. */
export const newIds =
  (kind: 'agent line' | 'agent destination', sessionId: string, command: string) =>
  (index: number): string =>
    derivedId(kind, sessionId, command, index);

/** What the basket follows. */
const followed = ({ lines, codes, buyer, destinations, fulfilment, context }: AgentSession) => ({
  ...{ lines, codes, buyer, destinations, fulfilment, context },
});

/** What another request has changed meanwhile is in the basket, too, whichever of them got there last. */
export const seen = async (
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

export const from = ({ ip }: AskingAgent): Settling => ({ ip: ip ?? null });

/** A session that was changed: its new addresses are kept, and its basket follows. */
export const changed = async (
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
export const rehearseGoods = (
  deps: SessionActionDeps,
  basketId: string,
  wanted: GoodsWanted,
  meta: CommandMeta,
): Promise<void> =>
  deps.streams.rehearse(basketLinesStream, basketId, goodsCommand(deps, wanted), stepMeta(meta));
