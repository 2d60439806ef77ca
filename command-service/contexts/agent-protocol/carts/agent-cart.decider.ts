import { agentCartEvents, type AgentCartEvent } from '#events/agent-cart.events.ts';
import { decideBy, type Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type {
  AgentCartCommand,
  CancelCart,
  CartContent,
  CompleteCart,
  ConvertCart,
  ExpireCart,
  FollowSession,
  ReopenCart,
  ReplaceCart,
  StartCart,
  StartCheckout,
} from './agent-cart.commands.ts';
import {
  agentCartStream,
  isCart,
  isCartDue,
  type AgentCartState,
  type OpenCart,
} from './agent-cart.state.ts';

const {
  AgentCartBuyerNamed,
  AgentCartCancelled,
  AgentCartCheckoutStarted,
  AgentCartCodesSubmitted,
  AgentCartCompleted,
  AgentCartConsentGiven,
  AgentCartContextGiven,
  AgentCartConverted,
  AgentCartCurrencyChosen,
  AgentCartExpired,
  AgentCartExtended,
  AgentCartLinesChanged,
  AgentCartReopened,
  AgentCartStarted,
} = agentCartEvents.create;

/** One event for each part that is not so already. */
const changed = (
  before: CartContent,
  content: CartContent,
  customerId: string | null = null,
): AgentCartEvent[] => {
  const { lines, buyer, consent, codes, currency, context, attribution } = content;
  const differs = (part: keyof CartContent): boolean => !isSameJson(content[part], before[part]);
  const events: AgentCartEvent[] = [];
  if (differs('lines')) events.push(AgentCartLinesChanged({ lines: [...lines] }));
  if (differs('buyer')) events.push(AgentCartBuyerNamed({ buyer, customerId }));
  if (differs('consent')) events.push(AgentCartConsentGiven({ consent }));
  if (differs('codes')) events.push(AgentCartCodesSubmitted({ codes: [...codes] }));
  if (differs('currency')) events.push(AgentCartCurrencyChosen({ currency }));
  if (differs('context') || differs('attribution'))
    events.push(AgentCartContextGiven({ context, attribution }));
  return events;
};

const nothingSaid = { buyer: null, consent: null, codes: [], context: null, attribution: null };

const start = (
  state: AgentCartState,
  { type: _, content, customerId, now: startedAt, capabilities, ...facts }: StartCart,
): AgentCartEvent[] => {
  if (isCart(state)) return [];
  const told = { lines: [...content.lines], currency: content.currency };
  return [
    AgentCartStarted({ ...facts, capabilities: [...capabilities], ...told, startedAt }),
    ...changed({ ...nothingSaid, ...told }, content, customerId),
  ];
};

const notFound = (): Rejection => new Rejection('not_found', 'This cart was not found.');

/** A cart that is over is gone. Errors: Rejection `not_found`. */
const open = (state: AgentCartState, now: string): OpenCart => {
  if (state.status !== 'active' || isCartDue(state, now)) throw notFound();
  return state;
};

const replace = (
  state: AgentCartState,
  { content, customerId, now: updatedAt, expiresAt }: ReplaceCart,
): AgentCartEvent[] => {
  const cart = open(state, updatedAt);
  if (cart.checkout !== null)
    throw new Rejection(
      'cart_not_modifiable',
      `The checkout ${cart.checkout.sessionId} was made from this cart: change that, or cancel it first.`,
    );
  return [...changed(cart, content, customerId), AgentCartExtended({ updatedAt, expiresAt })];
};

/** Each checkout of a cart has an id that any process finds alike. */
const startCheckout = (
  state: AgentCartState,
  { cartId, now: startedAt }: StartCheckout,
): AgentCartEvent[] => {
  const cart = open(state, startedAt);
  if (cart.checkout !== null) return [];
  const sessionId = derivedId('agent session of cart', cartId, cart.checkouts);
  return [AgentCartCheckoutStarted({ sessionId, startedAt })];
};

const checkoutOf = (state: AgentCartState, sessionId: string): OpenCart['checkout'] =>
  state.status === 'active' && state.checkout?.sessionId === sessionId ? state.checkout : null;

const convert = (state: AgentCartState, { sessionId, isVerified, now }: ConvertCart): AgentCartEvent[] =>
  checkoutOf(state, sessionId)?.hasBegun === false
    ? [AgentCartConverted({ sessionId, ...(isVerified && { isVerified }), convertedAt: now })]
    : [];

const follow = (state: AgentCartState, { sessionId, lines }: FollowSession): AgentCartEvent[] =>
  state.status === 'active' && checkoutOf(state, sessionId) && !isSameJson(state.lines, lines)
    ? [AgentCartLinesChanged({ lines: [...lines] })]
    : [];

/** What has begun since is not given up. */
const reopen = (
  state: AgentCartState,
  { sessionId, hasBegun, now: reopenedAt, expiresAt }: ReopenCart,
): AgentCartEvent[] => {
  const checkout = checkoutOf(state, sessionId);
  if (checkout === null || (checkout.hasBegun && !hasBegun)) return [];
  return [AgentCartReopened({ sessionId, reopenedAt, expiresAt })];
};

const complete = (state: AgentCartState, { invoiceId, now }: CompleteCart): AgentCartEvent[] =>
  state.status === 'active' ? [AgentCartCompleted({ invoiceId, completedAt: now })] : [];

/** A session made from it stays. */
const cancel = (state: AgentCartState, { now }: CancelCart): AgentCartEvent[] => {
  open(state, now);
  return [AgentCartCancelled({ cancelledAt: now })];
};

const expire = (state: AgentCartState, { now }: ExpireCart): AgentCartEvent[] =>
  state.status === 'active' && isCartDue(state, now) ? [AgentCartExpired({ expiredAt: now })] : [];

const decide = decideBy<AgentCartState, AgentCartCommand, AgentCartEvent, void>({
  StartCart: start,
  ReplaceCart: replace,
  StartCheckout: startCheckout,
  ConvertCart: convert,
  FollowSession: follow,
  ReopenCart: reopen,
  CompleteCart: complete,
  CancelCart: cancel,
  ExpireCart: expire,
});

/** What becomes of a cart (docs/rules/agent-carts.md#states). */
export const agentCartDecider: Decider<AgentCartState, AgentCartCommand, AgentCartEvent> = {
  ...agentCartStream,
  decide,
};
