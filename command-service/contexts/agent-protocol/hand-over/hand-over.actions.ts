import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { HandOverTokens } from '#runtime/hand-over-tokens.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { HandOver, RestorableBasket } from '../../checkout/checkout.commands.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import { isCart } from '../carts/agent-cart.state.ts';
import { agentCarts } from '../carts/agent-cart.stream.ts';
import { settleCartBasket } from '../carts/cart-basket.ts';
import { settleCart, type SettleCartDeps } from '../carts/settle-cart.ts';
import { isDue, type ActiveSession } from '../sessions/agent-session.state.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import { settleBasket, type SessionBasketDeps } from '../sessions/session-basket.ts';

/** `ttlMinutes`: of carts. */
export interface HandOverDeps extends SessionBasketDeps, SettleCartDeps {
  readonly tokens: HandOverTokens;
}

/** A basket in which a shopper goes on. */
export interface HandedOverBasket extends RestorableBasket {
  readonly basketId: string;
  /** In which the agent has shown it. */
  readonly currency: string;
}

/** What a link leads to. */
interface Found {
  readonly basketId: string;
  readonly currency: string;
  readonly from: HandOver;
  /** Brings the basket to what the agent has said last. */
  readonly settle: () => Promise<unknown>;
}

/** The same for every link that leads nowhere. */
const invalid = (): Rejection =>
  new Rejection('hand-over-link-invalid', 'This link is not valid, or not any more.');

const fromSession = (sessionId: string, { agent, agentName }: ActiveSession): HandOver => ({
  type: 'HandOver',
  ...{ sessionId, agent, agentName },
});

/** While a payment is under way no shopper takes it over, unless the payment waits for the buyer. */
const isOpen = ({ completion, expiresAt }: ActiveSession, now: string): boolean =>
  completion === null ? !isDue({ completion, expiresAt }, now) : completion.awaited?.from === 'buyer';

const findSession = async (deps: HandOverDeps, id: string, meta: CommandMeta): Promise<Found | null> => {
  const { state } = await deps.streams.load(agentSessions, id);
  if (state.status !== 'active' || !isOpen(state, isoInstant(deps.clock.now()))) return null;
  const { basketId, currency } = state;
  return { basketId, currency, from: fromSession(id, state), settle: () => settleBasket(deps, state, meta) };
};

/** One that was made into a session leads to that, unless only the session was begun with a signature. */
const findCart = async (deps: HandOverDeps, id: string, meta: CommandMeta): Promise<Found | null> => {
  const { state } = await deps.streams.load(agentCarts, id);
  if (!isCart(state)) return null;
  const cart = await settleCart(deps, id, state, false, meta);
  if (cart.status !== 'active') return null;
  const { basketId, currency, agent, agentName, checkout } = cart;
  if (cart.hasVerifiedSession && !cart.isVerified) return null;
  if (checkout?.hasBegun === true) return findSession(deps, checkout.sessionId, meta);
  const settle = () => settleCartBasket(deps, cart, {}, meta);
  const from: HandOver = { type: 'HandOver', sessionId: null, agent, agentName };
  return { basketId, currency, from, settle };
};

/** Recorded once for each session. Errors: what stands in the way is a link that leads nowhere. */
const record = async (deps: HandOverDeps, { basketId, from, settle }: Found, meta: CommandMeta) => {
  const { state } = await deps.streams.load(basketLinesStream, basketId);
  const { type: _, ...said } = from;
  if (isSameJson(state.handOver, said)) return;
  if (state.handOver === null) await settle();
  try {
    await deps.streams.send(checkoutStream, basketId, from, stepMeta(meta));
  } catch (error) {
    if (error instanceof Rejection && error.code !== 'conflict') throw invalid();
    throw error;
  }
};

/**
 * Shoppers who go on with what an agent has begun (docs/rules/agent-hand-over.md). Errors: Rejection
 * `hand-over-link-invalid`.
 */
export const createHandOver = (deps: HandOverDeps) => {
  const find = async (token: string, meta: CommandMeta): Promise<Found> => {
    const handedOver = deps.tokens.handedOverBy(token);
    if (handedOver === null) throw invalid();
    const { kind, id } = handedOver;
    const found = await (kind === 'session' ? findSession : findCart)(deps, id, meta);
    if (found === null) throw invalid();
    return found;
  };
  const basketOf = async ({ basketId, currency }: Found): Promise<HandedOverBasket> => {
    const restorable = await deps.apis.checkout.restorable(basketId);
    if (restorable === null) throw invalid();
    return { ...restorable, basketId, currency };
  };
  return {
    /** The shopper is in the basket from now on. */
    open: async (token: string, meta: CommandMeta): Promise<HandedOverBasket> => {
      const found = await find(token, meta);
      await record(deps, found, meta);
      return basketOf(found);
    },
    /** As it is found, without handing it over. */
    look: async (token: string, meta: CommandMeta): Promise<HandedOverBasket> =>
      basketOf(await find(token, meta)),
  };
};

export type HandOverActions = ReturnType<typeof createHandOver>;
