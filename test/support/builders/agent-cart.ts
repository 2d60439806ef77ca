import type {
  CartContent,
  FollowSession,
  ReopenCart,
  ReplaceCart,
  StartCart,
} from '#command/contexts/agent-protocol/carts/agent-cart.commands.ts';
import { agentLine, minutesLater } from './agent-session.ts';
import { idNamed } from './basket.ts';

const DAY = 24 * 60;
const nothingSaid = { buyer: null, consent: null, codes: [], context: null, attribution: null };

export const cartOf = (given: Partial<CartContent> = {}): CartContent => ({
  ...nothingSaid,
  lines: [agentLine('mug', 2)],
  currency: 'USD',
  ...given,
});

/** At noon, for a day. */
export const startCart = (content: Partial<CartContent> = {}, given: Partial<StartCart> = {}): StartCart => ({
  type: 'StartCart',
  basketId: idNamed('basket'),
  agent: 'https://agent.example/profile',
  agentName: null,
  isVerified: true,
  dialect: '2026-04-08',
  capabilities: [],
  content: cartOf(content),
  now: minutesLater(0),
  expiresAt: minutesLater(DAY),
  ...given,
});

export const replaceCart = (minutes: number, content: Partial<CartContent> = {}): ReplaceCart => ({
  type: 'ReplaceCart',
  content: cartOf(content),
  now: minutesLater(minutes),
  expiresAt: minutesLater(minutes + DAY),
});

export const startCheckout = (minutes: number, cartId = idNamed('cart')) =>
  ({ type: 'StartCheckout', cartId, now: minutesLater(minutes) }) as const;

export const convertCart = (minutes: number, sessionId: string, isVerified = false) =>
  ({ type: 'ConvertCart', sessionId, isVerified, now: minutesLater(minutes) }) as const;

export const followSession = (sessionId: string, lines: FollowSession['lines']): FollowSession => ({
  type: 'FollowSession',
  ...{ sessionId, lines },
});

export const reopenCart = (minutes: number, sessionId: string, hasBegun = true): ReopenCart => ({
  type: 'ReopenCart',
  ...{ sessionId, hasBegun },
  now: minutesLater(minutes),
  expiresAt: minutesLater(minutes + DAY),
});

export const cancelCart = (minutes: number) => ({ type: 'CancelCart', now: minutesLater(minutes) }) as const;

export const expireCart = (minutes: number) => ({ type: 'ExpireCart', now: minutesLater(minutes) }) as const;

export const completeCart = (minutes: number) =>
  ({ type: 'CompleteCart', invoiceId: idNamed('invoice'), now: minutesLater(minutes) }) as const;
