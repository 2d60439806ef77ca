import type { AgentCartEvent } from '#events/agent-cart.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { CartContent } from './agent-cart.commands.ts';

type Told<Type extends AgentCartEvent['type']> = EventOfType<AgentCartEvent, Type>['data'];

/** A checkout that was begun with the cart. */
export interface CartCheckout {
  readonly sessionId: string;
  /** False: whether its session has begun is not known here. */
  readonly hasBegun: boolean;
}

interface CartFacts extends CartContent, Omit<Told<'AgentCartStarted'>, 'lines' | 'currency'> {
  /** Whose e-mail address was named last. */
  readonly customerId: string | null;
  readonly updatedAt: string;
  /** How many checkouts were begun with it: each has an id of its own. */
  readonly checkouts: number;
  /** A session made from it was begun with a signature, and has written its lines back. */
  readonly hasVerifiedSession: boolean;
}

export interface OpenCart extends CartFacts {
  readonly status: 'active';
  readonly checkout: CartCheckout | null;
}

interface EndedCart extends CartFacts {
  readonly status: 'completed' | 'cancelled' | 'expired';
}

export type AgentCart = OpenCart | EndedCart;

/** State of the stream `agentCart-<id>`. */
export type AgentCartState = { readonly status: 'none' } | AgentCart;

export const isCart = (state: AgentCartState): state is AgentCart => state.status !== 'none';

/**
 * What a request with a signature has made is shown to such requests only: also what its session has written into a
 * cart that was begun without one.
 */
export const isForVerifiedOnly = ({
  isVerified,
  hasVerifiedSession,
}: Pick<CartFacts, 'isVerified' | 'hasVerifiedSession'>): boolean => isVerified || hasVerifiedSession;

/** True once its time is over, unless a checkout was begun with it. */
export const isCartDue = (
  { checkout, expiresAt }: Pick<OpenCart, 'checkout' | 'expiresAt'>,
  now: string,
): boolean => checkout === null && Date.parse(expiresAt) <= Date.parse(now);

const started = (data: Told<'AgentCartStarted'>): OpenCart => ({
  ...data,
  status: 'active',
  buyer: null,
  customerId: null,
  consent: null,
  codes: [],
  context: null,
  attribution: null,
  updatedAt: data.startedAt,
  checkouts: 0,
  hasVerifiedSession: false,
  checkout: null,
});

/** For a cart that is open; to any other the event means nothing. */
const onOpen =
  <Type extends AgentCartEvent['type']>(change: (cart: OpenCart, data: Told<Type>) => AgentCart) =>
  (state: AgentCartState, { data }: { readonly data: Told<Type> }): AgentCartState =>
    state.status === 'active' ? change(state, data) : state;

const ended = (
  { checkout: _, ...cart }: OpenCart,
  status: EndedCart['status'],
  updatedAt: string,
): EndedCart => ({ ...cart, status, updatedAt });

const on: Evolution<AgentCartState, AgentCartEvent> = {
  AgentCartStarted: (_, { data }) => started(data),
  AgentCartLinesChanged: onOpen<'AgentCartLinesChanged'>((cart, { lines }) => ({ ...cart, lines })),
  AgentCartBuyerNamed: onOpen<'AgentCartBuyerNamed'>((cart, { buyer, customerId }) => ({
    ...cart,
    ...{ buyer, customerId: customerId ?? cart.customerId },
  })),
  AgentCartConsentGiven: onOpen<'AgentCartConsentGiven'>((cart, { consent }) => ({ ...cart, consent })),
  AgentCartCodesSubmitted: onOpen<'AgentCartCodesSubmitted'>((cart, { codes }) => ({ ...cart, codes })),
  AgentCartContextGiven: onOpen<'AgentCartContextGiven'>((cart, said) => ({ ...cart, ...said })),
  AgentCartCurrencyChosen: onOpen<'AgentCartCurrencyChosen'>((cart, said) => ({ ...cart, ...said })),
  AgentCartExtended: onOpen<'AgentCartExtended'>((cart, times) => ({ ...cart, ...times })),
  AgentCartCheckoutStarted: onOpen<'AgentCartCheckoutStarted'>((cart, { sessionId }) => ({
    ...cart,
    checkouts: cart.checkouts + 1,
    checkout: { sessionId, hasBegun: false },
  })),
  AgentCartConverted: onOpen<'AgentCartConverted'>(
    (cart, { sessionId, isVerified = false, convertedAt }) => ({
      ...cart,
      updatedAt: convertedAt,
      hasVerifiedSession: cart.hasVerifiedSession || isVerified,
      checkout: { sessionId, hasBegun: true },
    }),
  ),
  AgentCartReopened: onOpen<'AgentCartReopened'>((cart, { reopenedAt, expiresAt }) => ({
    ...cart,
    ...{ updatedAt: reopenedAt, expiresAt, checkout: null },
  })),
  AgentCartCompleted: onOpen<'AgentCartCompleted'>((cart, { completedAt }) =>
    ended(cart, 'completed', completedAt),
  ),
  AgentCartCancelled: onOpen<'AgentCartCancelled'>((cart, { cancelledAt }) =>
    ended(cart, 'cancelled', cancelledAt),
  ),
  AgentCartExpired: onOpen<'AgentCartExpired'>((cart, { expiredAt }) => ended(cart, 'expired', expiredAt)),
};

/** Personal fields are those of the basket: forgetting its buyer reaches the cart with it. */
export const agentCartStream = {
  category: 'agentCart',
  initial: (): AgentCartState => ({ status: 'none' }),
  on,
  remembersCommands: true,
  subject: (id: string, state: AgentCartState): DataSubject => ({
    ...(isCart(state) ? { id: state.basketId, customerId: state.customerId } : { id }),
  }),
} as const;
