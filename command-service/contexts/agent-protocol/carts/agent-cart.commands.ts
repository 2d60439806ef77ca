import type { AgentBuyer, AgentConsent, AgentLine } from '#events/agent-session.events.ts';

type Said = Readonly<Record<string, unknown>>;

/** What a cart holds: an agent says all of it, each time. */
export interface CartContent {
  readonly lines: readonly AgentLine[];
  /** Null: none was named. */
  readonly buyer: AgentBuyer | null;
  readonly consent: AgentConsent | null;
  readonly codes: readonly string[];
  /** In which it is shown. */
  readonly currency: string;
  readonly context: Said | null;
  readonly attribution: Said | null;
}

/** Under which the customer of an e-mail address is known, or will be; left out: none is new. */
interface NamesCustomer {
  readonly customerId?: string | null;
}

/** ISO instants. */
interface Timed {
  readonly now: string;
  readonly expiresAt: string;
}

export interface StartCart extends Timed, NamesCustomer {
  readonly type: 'StartCart';
  readonly basketId: string;
  readonly agent: string;
  readonly agentName: string | null;
  readonly isVerified: boolean;
  readonly dialect: string;
  readonly capabilities: readonly string[];
  readonly content: CartContent;
}

/** Also with the same content: the cart lasts longer. */
export interface ReplaceCart extends Timed, NamesCustomer {
  readonly type: 'ReplaceCart';
  readonly content: CartContent;
}

/** One checkout at a time: a second caller finds the first one's. */
export interface StartCheckout {
  readonly type: 'StartCheckout';
  readonly cartId: string;
  readonly now: string;
}

/** The session of its checkout has begun. Nothing happens if that checkout was given up meanwhile. */
export interface ConvertCart {
  readonly type: 'ConvertCart';
  readonly sessionId: string;
  /** The session was begun by a request with a signature. */
  readonly isVerified: boolean;
  readonly now: string;
}

/** What the agent changes in the session, the cart has too. */
export interface FollowSession {
  readonly type: 'FollowSession';
  readonly sessionId: string;
  readonly lines: readonly AgentLine[];
}

/** `hasBegun`: the session is over; else there is none, and one that begins all the same comes too late. */
export interface ReopenCart extends Timed {
  readonly type: 'ReopenCart';
  readonly sessionId: string;
  readonly hasBegun: boolean;
}

/** Its basket is bought, by the agent or by a shopper. */
export interface CompleteCart {
  readonly type: 'CompleteCart';
  readonly invoiceId: string;
  readonly now: string;
}

export interface CancelCart {
  readonly type: 'CancelCart';
  readonly now: string;
}

/** Nothing happens before its time, nor while a session made from it is open. */
export interface ExpireCart {
  readonly type: 'ExpireCart';
  readonly now: string;
}

export type AgentCartCommand =
  | StartCart
  | ReplaceCart
  | StartCheckout
  | ConvertCart
  | FollowSession
  | ReopenCart
  | CompleteCart
  | CancelCart
  | ExpireCart;
