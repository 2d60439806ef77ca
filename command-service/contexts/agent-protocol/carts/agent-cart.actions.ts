import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { idOfCreated, stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId, isGuid } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';
import { asShopperHasIt, goodsCommand, type SessionBasketDeps } from '../sessions/session-basket.ts';
import { customerNamed } from '../sessions/session-buyer.ts';
import { matchedLines, type FoundLine } from '../sessions/session-lines.ts';
import type { AskingAgent } from '../sessions/session-member.ts';
import type { CartContent, StartCart } from './agent-cart.commands.ts';
import {
  isCart,
  isForVerifiedOnly,
  type AgentCart,
  type AgentCartState,
  type OpenCart,
} from './agent-cart.state.ts';
import { agentCarts } from './agent-cart.stream.ts';
import { settleCartBasket, type CartSettling } from './cart-basket.ts';
import { settleCart, type SettleCartDeps } from './settle-cart.ts';

export interface CartActionDeps extends SessionBasketDeps, SettleCartDeps {}

/** A cart with its basket. */
export interface SeenCart {
  readonly cartId: string;
  readonly cart: AgentCart;
  /** That it was made into, while it is open. */
  readonly session: AgentSession | null;
  readonly basket: BasketState;
  /** What the agent is told of codes that are not in force, and of goods that are not to be had any more. */
  readonly messages: readonly ProtocolMessage[];
}

/** What a cart is to hold, its products found. */
export interface WantedCart extends Omit<CartContent, 'lines'> {
  readonly lines: readonly FoundLine[];
}

export interface NewCart extends Pick<StartCart, 'dialect' | 'capabilities' | 'agentName'> {
  readonly content: WantedCart;
}

/** A cart that is about to be replaced. */
export interface KnownCart {
  readonly cart: OpenCart;
  readonly basket: BasketState;
}

const MINUTE = 60_000;

export const cartNotFound = (): Rejection => new Rejection('not_found', 'This cart was not found.');

const timesOf = ({ clock, ttlMinutes }: CartActionDeps) => {
  const now = clock.now();
  return { now: isoInstant(now), expiresAt: isoInstant(now + ttlMinutes * MINUTE) };
};

const lineIds =
  (cartId: string, command: string) =>
  (index: number): string =>
    derivedId('agent line', cartId, command, index);

const isTheirs = (state: AgentCartState, { profileUri, isVerified }: AskingAgent): state is AgentCart =>
  isCart(state) && state.agent === profileUri && (isVerified || !isForVerifiedOnly(state));

/** As it is once everything has been told to it. Errors: Rejection `not_found`, also for one that is over. */
export const openCartOf = async (
  deps: CartActionDeps,
  agent: AskingAgent,
  cartId: string,
  givesUp: boolean,
  meta: CommandMeta,
): Promise<OpenCart> => {
  if (!isGuid(cartId)) throw cartNotFound();
  const { state } = await deps.streams.load(agentCarts, cartId);
  if (!isTheirs(state, agent)) throw cartNotFound();
  const settled = await settleCart(deps, cartId, state, givesUp, meta);
  // Its session may have come to be known just now, and who has begun it.
  if (settled.status !== 'active' || !isTheirs(settled, agent)) throw cartNotFound();
  return settled;
};

const seen = async (
  deps: CartActionDeps,
  cartId: string,
  cart: AgentCart,
  meta: CommandMeta,
  settling: CartSettling,
): Promise<SeenCart> => {
  const settled = await settleCartBasket(deps, cart, settling, meta);
  return { cartId, cart: asShopperHasIt(cart, settled.basket), ...settled };
};

/** Refused as the basket would refuse these goods; nothing is recorded. */
const rehearseGoods = (
  deps: CartActionDeps,
  basketId: string,
  content: CartContent,
  meta: CommandMeta,
): Promise<void> => {
  const { lines, context } = content;
  const command = goodsCommand(deps, { lines, context });
  return deps.streams.rehearse(basketLinesStream, basketId, command, stepMeta(meta));
};

const existing = (state: AgentCartState): AgentCart => {
  if (!isCart(state)) throw cartNotFound();
  return state;
};

/** The basket follows the cart, so that a repeat after a kill finds what it began. */
const create =
  (deps: CartActionDeps) =>
  async (agent: AskingAgent, { content, ...facts }: NewCart, meta: CommandMeta): Promise<SeenCart> => {
    const cartId = idOfCreated('agentCart', meta);
    const basketId = derivedId('basket of agent cart', cartId);
    const wanted = { ...content, lines: matchedLines([], content.lines, lineIds(cartId, 'create')) };
    const { state: known } = await deps.streams.recall(agentCarts, cartId);
    if (!isCart(known)) await rehearseGoods(deps, basketId, wanted, meta);
    const customerId = isCart(known) ? null : await customerNamed(deps, content.buyer, meta);
    const command: StartCart = {
      type: 'StartCart',
      ...facts,
      ...timesOf(deps),
      ...{ basketId, content: wanted, customerId },
      ...{ agent: agent.profileUri, isVerified: agent.isVerified },
    };
    const { state } = await deps.streams.send(agentCarts, cartId, command, meta, { isNewId: true });
    return seen(deps, cartId, existing(state), meta, { ip: agent.ip, isChange: true });
  };

/** One that is held is not asked what it is to hold: its refusal says by what. */
const replace =
  (deps: CartActionDeps) =>
  async (
    agent: AskingAgent,
    cartId: string,
    contentFor: (known: KnownCart) => WantedCart,
    meta: CommandMeta,
  ): Promise<SeenCart> => {
    const cart = await openCartOf(deps, agent, cartId, true, meta);
    const { state: basket } = await deps.streams.recall(basketLinesStream, cart.basketId);
    const content = cart.checkout === null ? contentFor({ cart, basket }) : cart;
    const newLineId = lineIds(cartId, meta.commandId ?? meta.causationId);
    const wanted = { ...content, lines: matchedLines(cart.lines, content.lines, newLineId) };
    if (cart.checkout === null) await rehearseGoods(deps, cart.basketId, wanted, meta);
    const customerId = await customerNamed(deps, content.buyer, meta);
    const command = { type: 'ReplaceCart', content: wanted, customerId, ...timesOf(deps) } as const;
    const { state } = await deps.streams.send(agentCarts, cartId, command, meta);
    return seen(deps, cartId, existing(state), meta, { ip: agent.ip, isChange: true });
  };

const cancel =
  (deps: CartActionDeps) =>
  async (agent: AskingAgent, cartId: string, meta: CommandMeta): Promise<SeenCart> => {
    const cart = await openCartOf(deps, agent, cartId, false, meta);
    const before = await seen(deps, cartId, cart, meta, { ip: agent.ip });
    const command = { type: 'CancelCart', now: timesOf(deps).now } as const;
    const { state } = await deps.streams.send(agentCarts, cartId, command, meta);
    return { ...before, session: null, cart: { ...existing(state), lines: before.cart.lines } };
  };

/**
 * The use cases of a cart, in no protocol's words (docs/rules/agent-carts.md). Errors: Rejection `not_found`; of a
 * replacement also `cart_not_modifiable` and those of `ReplaceBasketLines`, and nothing is changed.
 */
export const createCartActions = (deps: CartActionDeps) => ({
  create: create(deps),
  read: async (agent: AskingAgent, cartId: string, meta: CommandMeta): Promise<SeenCart> =>
    seen(deps, cartId, await openCartOf(deps, agent, cartId, false, meta), meta, { ip: agent.ip }),
  replace: replace(deps),
  cancel: cancel(deps),
  /** The form in which it was begun; null: the agent has no such cart. */
  dialectOf: async (agent: AskingAgent, cartId: string): Promise<string | null> => {
    if (!isGuid(cartId)) return null;
    const { state } = await deps.streams.recall(agentCarts, cartId);
    return isTheirs(state, agent) ? state.dialect : null;
  },
});

export type CartActions = ReturnType<typeof createCartActions>;
