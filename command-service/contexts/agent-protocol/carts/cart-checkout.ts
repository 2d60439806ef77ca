import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { checkoutStream } from '../../checkout/checkout.stream.ts';
import type { SessionActions } from '../sessions/agent-session.actions.ts';
import type { BegunSession, NewSession } from '../sessions/begin-session.ts';
import { agentSessions } from '../sessions/agent-session.stream.ts';
import { basketLinesStream } from '../../basket/basket.stream.ts';
import { refuseOthers, type AskingAgent } from '../sessions/session-member.ts';
import type { CartsOfSessions } from '../sessions/session-operations.ts';
import { cartNotFound, openCartOf, type CartActionDeps } from './agent-cart.actions.ts';
import type { OpenCart } from './agent-cart.state.ts';
import { agentCarts } from './agent-cart.stream.ts';
import { settleCart } from './settle-cart.ts';

interface CartCheckoutDeps extends CartActionDeps {
  readonly sessions: Pick<SessionActions, 'begin'>;
}

type Facts = Omit<NewSession, 'lines'>;

/** As often as another request may give this one's session up. */
const TRIES = 3;

/** What the cart says wins over what comes with the request. */
const withCart = (
  facts: Facts,
  { buyer, consent, codes, context, attribution, currency }: OpenCart,
): Facts => ({
  ...facts,
  currency,
  changes: {
    ...facts.changes,
    ...(buyer && { buyer }),
    ...(consent && { consent }),
    ...(codes.length > 0 && { codes }),
    ...(context && { context }),
    ...(attribution && { attribution }),
  },
});

const nowOf = ({ clock }: CartCheckoutDeps): string => isoInstant(clock.now());

/**
 * The basket of a linked member stays theirs, and no guest can buy it. One that a shopper has taken over is bought
 * by the shopper. Errors: Rejection `identity_required`, `not_found`.
 */
const refuseForOthers = async (
  { streams }: CartCheckoutDeps,
  agent: AskingAgent,
  basketId: string,
): Promise<void> => {
  const { memberId, handOver } = (await streams.load(basketLinesStream, basketId)).state;
  if (handOver === null) refuseOthers({ memberId }, agent);
};

/** The session of the checkout that has begun, and whether the cart is held by it in the end. */
const beginWith = async (
  deps: CartCheckoutDeps,
  agent: AskingAgent,
  cartId: string,
  facts: Facts,
  meta: CommandMeta,
): Promise<BegunSession | null> => {
  const { streams, sessions } = deps;
  const { basketId: ofCart } = await openCartOf(deps, agent, cartId, false, meta);
  await refuseForOthers(deps, agent, ofCart);
  const checkout = { type: 'StartCheckout', cartId, now: nowOf(deps) } as const;
  const { state: cart } = await streams.send(agentCarts, cartId, checkout, stepMeta(meta));
  if (cart.status !== 'active' || cart.checkout === null) throw cartNotFound();
  const { sessionId } = cart.checkout;
  const { basketId, lines } = cart;
  const begun = await sessions.begin(
    agent,
    { sessionId, basketId, cartId, lines },
    withCart(facts, cart),
    meta,
  );
  const { isVerified } = begun.seen.session;
  const conversion = { type: 'ConvertCart', sessionId, isVerified, now: nowOf(deps) } as const;
  const { state } = await streams.send(agentCarts, cartId, conversion, stepMeta(meta));
  if (state.status === 'active' && state.checkout?.sessionId === sessionId) return begun;
  // The cart has moved on: no agent was ever told of this session.
  await streams.send(agentSessions, sessionId, { type: 'CancelSession', now: nowOf(deps) }, stepMeta(meta));
  return null;
};

/** A shopper who has the basket of the cart already has that of its session now. */
const handOn = async (
  { streams }: CartCheckoutDeps,
  { seen: { sessionId, session, basket } }: BegunSession,
  meta: CommandMeta,
): Promise<void> => {
  const { handOver } = basket.state;
  if (handOver === null || handOver.sessionId === sessionId || session.status !== 'active') return;
  const { agent, agentName, basketId } = session;
  const command = { type: 'HandOver', sessionId, agent, agentName } as const;
  await streams.send(checkoutStream, basketId, command, stepMeta(meta));
};

/** What sessions and the carts that they are made from do to each other (docs/rules/agent-carts.md#checkout). */
export const createCartCheckouts = (deps: CartCheckoutDeps): CartsOfSessions => ({
  checkOut: async (agent, cartId, facts, meta) => {
    for (let tries = 0; tries < TRIES; tries++) {
      const begun = await beginWith(deps, agent, cartId, facts, meta);
      if (begun === null) continue;
      await handOn(deps, begun, meta);
      return begun;
    }
    throw new Rejection('conflict', 'This cart is being changed. Try again.');
  },
  follow: async (cartId, meta) => {
    const { state } = await deps.streams.load(agentCarts, cartId);
    await settleCart(deps, cartId, state, false, meta);
  },
});
