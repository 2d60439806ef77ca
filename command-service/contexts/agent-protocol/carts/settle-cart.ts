import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { isoInstant } from '#kernel/clock.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { isBought, type BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import {
  isDue,
  isSession,
  type AgentSession,
  type AgentSessionState,
} from '../sessions/agent-session.state.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import type { AgentCartCommand } from './agent-cart.commands.ts';
import { isCartDue, type AgentCartState, type CartCheckout, type OpenCart } from './agent-cart.state.ts';
import { agentCarts } from './agent-cart.stream.ts';

export interface SettleCartDeps extends Pick<CommandDeps, 'streams' | 'clock'> {
  readonly ttlMinutes: number;
}

const MINUTE = 60_000;

const saleOf = (state: BasketState): string | null =>
  isBought(state) && state.order !== null ? state.order.invoiceId : null;

/** What a session says of its cart, in the order in which it is told; nothing: the cart is as it should be. */
const toldBySession = (
  { lines }: OpenCart,
  { hasBegun, sessionId }: CartCheckout,
  session: AgentSession,
  now: string,
  ttlMinutes: number,
): readonly AgentCartCommand[] => {
  const follow = { type: 'FollowSession', sessionId, lines: session.lines } as const;
  const isSameGoods = isSameJson(session.lines, lines);
  const { isVerified } = session;
  const conversion = hasBegun ? [] : [{ type: 'ConvertCart', sessionId, isVerified, now } as const];
  switch (session.status) {
    case 'active':
      return [...conversion, ...(isSameGoods ? [] : [follow])];
    case 'completed':
      return [{ type: 'CompleteCart', invoiceId: session.order.invoiceId, now }];
    case 'cancelled':
    case 'expired': {
      const expiresAt = isoInstant(Date.parse(session.updatedAt) + ttlMinutes * MINUTE);
      return [...conversion, follow, { type: 'ReopenCart', sessionId, hasBegun: true, now, expiresAt }];
    }
  }
};

/** A session whose time is over ends before its cart goes on. */
const currentSession = async (
  { streams }: SettleCartDeps,
  sessionId: string,
  now: string,
  meta: CommandMeta,
): Promise<AgentSessionState> => {
  const { state } = await streams.load(agentSessions, sessionId);
  if (state.status !== 'active' || !isDue(state, now)) return state;
  return (await streams.send(agentSessions, sessionId, { type: 'ExpireSession', now }, stepMeta(meta))).state;
};

const nextCommands = async (
  deps: SettleCartDeps,
  cart: OpenCart,
  givesUp: boolean,
  meta: CommandMeta,
): Promise<readonly AgentCartCommand[]> => {
  const now = isoInstant(deps.clock.now());
  const basket = await deps.streams.load(basketLinesStream, cart.basketId);
  const invoiceId = saleOf(basket.state);
  if (invoiceId !== null) return [{ type: 'CompleteCart', invoiceId, now }];
  const { checkout, expiresAt } = cart;
  if (checkout === null) return isCartDue(cart, now) ? [{ type: 'ExpireCart', now }] : [];
  const session = await currentSession(deps, checkout.sessionId, now, meta);
  if (isSession(session)) return toldBySession(cart, checkout, session, now, deps.ttlMinutes);
  // A kill came between the two streams, or the other request is still at it: it finds out by its own next step.
  const isLate = Date.parse(expiresAt) <= Date.parse(now);
  const { sessionId } = checkout;
  return givesUp || isLate ? [{ type: 'ReopenCart', sessionId, hasBegun: false, now, expiresAt }] : [];
};

/**
 * Brings a cart to what has become of its session, its basket and its time. `givesUp`: a checkout whose session has not
 * begun is not waited for (docs/rules/agent-carts.md#checkout).
 */
export const settleCart = async (
  deps: SettleCartDeps,
  cartId: string,
  state: AgentCartState,
  givesUp: boolean,
  meta: CommandMeta,
): Promise<AgentCartState> => {
  if (state.status !== 'active') return state;
  let settled: AgentCartState = state;
  let hasChanged = false;
  for (const command of await nextCommands(deps, state, givesUp, meta)) {
    const sent = await deps.streams.send(agentCarts, cartId, command, stepMeta(meta));
    hasChanged ||= sent.events.length > 0;
    settled = sent.state;
  }
  return hasChanged ? settleCart(deps, cartId, settled, givesUp, meta) : settled;
};
