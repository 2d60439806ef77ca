import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { isSession, type AgentSession } from '../sessions/agent-session.state.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import { settleLines, settleBasket, type SessionBasketDeps } from '../sessions/session-basket.ts';
import { settleBuyer } from '../sessions/session-buyer.ts';
import { settleCodes } from '../sessions/session-codes.ts';
import { codeMessages } from '../sessions/session-messages.ts';
import type { AgentCart } from './agent-cart.state.ts';

type Deps = SessionBasketDeps;

interface SettledCart {
  readonly session: AgentSession | null;
  readonly basket: BasketState;
  readonly messages: readonly ProtocolMessage[];
}

/** On what occasion a cart is looked at. */
export interface CartSettling {
  /** Where the agent asks from; left out: new customers from there are not limited. */
  readonly ip?: string | null | undefined;
  /** Its agent has just changed it. */
  readonly isChange?: boolean;
}

/** The session that a cart is held by; null: there is none that is open. */
const openSessionOf = async ({ streams }: Deps, cart: AgentCart): Promise<AgentSession | null> => {
  const checkout = cart.status === 'active' ? cart.checkout : null;
  if (checkout === null) return null;
  const { state } = await streams.load(agentSessions, checkout.sessionId);
  return isSession(state) && state.status === 'active' ? state : null;
};

/** A cart names no one to the shop: an estimate needs only to know where the buyer seems to be. */
const placed = ({ basketId, context }: AgentCart) => ({
  ...{ basketId, context, memberId: null, buyer: null, destinations: [], fulfilment: null },
});

/**
 * Brings the basket to what its cart says, or the session that was made from it. A shopper's own stays as it is, unless
 * the agent has just changed the cart.
 */
export const settleCartBasket = async (
  deps: Deps,
  cart: AgentCart,
  { ip = null, isChange = false }: CartSettling,
  meta: CommandMeta,
): Promise<SettledCart> => {
  const { basketId, codes } = cart;
  const load = async () => (await deps.streams.load(basketLinesStream, basketId)).state;
  const session = await openSessionOf(deps, cart);
  if (session) {
    const { state: basket, codeProblems } = await settleBasket(deps, session, meta, { ip });
    return { session, basket, messages: codeMessages(codes, (code) => codeProblems.get(code) ?? null) };
  }
  const before = await load();
  const isShoppers = before.handOver !== null && !isChange;
  if (before.placement !== null || isBought(before) || isShoppers)
    return { session, basket: before, messages: [] };
  try {
    const { basket } = await settleLines(deps, cart, meta);
    const said = before.handOver === null ? null : [];
    if (basket) await settleBuyer(deps, placed(cart), basket, meta, null, said);
    const problems = await settleCodes(deps, cart, meta);
    const messages = codeMessages(codes, (code) => problems.get(code) ?? null);
    return { session, basket: await load(), messages };
  } catch (error) {
    // Sold to another buyer, or withdrawn, since the agent was told: what is wrong with its lines says so.
    if (!(error instanceof Rejection) || error.code === 'conflict') throw error;
    return { session, basket: await load(), messages: [] };
  }
};
