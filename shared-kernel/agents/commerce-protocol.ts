import type { Actor } from '#kernel/event.ts';
import type { Reached } from '#kernel/reached.ts';
import type { AgentRequest, DialectName } from './agent-request.ts';
import type { ProtocolCart } from './protocol-cart.ts';
import type { ProtocolProduct, ProtocolProducts } from './protocol-catalogue.ts';
import type { ProtocolError } from './protocol-error.ts';
import type { ProtocolOrder } from './protocol-order.ts';
import type { ProtocolSession } from './protocol-session.ts';

/** A request of an agent, in no protocol's words; a route's own request is one. */
export interface ProtocolRequest<Body = unknown> {
  readonly agent: AgentRequest;
  readonly body: Body;
  readonly actor: Actor;
  readonly correlationId: string;
  readonly askedAt?: number;
  readonly commandId?: string;
  readonly bodyFingerprint?: string;
  readonly reached: Reached;
  readonly ip: string;
  /** Scheme and host of absolute links. */
  readonly baseUrl: string;
}

/** The same about one session, cart or order. */
export interface ProtocolRequestFor<Body = unknown> extends ProtocolRequest<Body> {
  /** As the address has it: a malformed one is one that never was. */
  readonly id: string;
}

/** `dialect`: in which form to answer, where what was asked for has one of its own. */
export type ProtocolAnswer<Result> =
  | {
      readonly httpStatus: number;
      readonly dialect: DialectName;
      readonly result: Result;
      readonly position?: number;
      /** It is given again while nothing of it has changed, and its reply with it. */
      readonly isKept?: true;
    }
  | { readonly dialect: DialectName; readonly error: ProtocolError; readonly position?: number };

type Answered<Result> = Promise<ProtocolAnswer<Result>>;

export interface ProtocolSessions {
  createSession(request: ProtocolRequest): Answered<ProtocolSession>;
  /** Or its JSON text, as it was written before in the dialect of the answer. */
  getSession(request: ProtocolRequestFor): Answered<ProtocolSession | string>;
  updateSession(request: ProtocolRequestFor): Answered<ProtocolSession>;
  completeSession(request: ProtocolRequestFor): Answered<ProtocolSession>;
  cancelSession(request: ProtocolRequestFor): Answered<ProtocolSession>;
}

export interface ProtocolCarts {
  createCart(request: ProtocolRequest): Answered<ProtocolCart>;
  getCart(request: ProtocolRequestFor): Answered<ProtocolCart>;
  updateCart(request: ProtocolRequestFor): Answered<ProtocolCart>;
  cancelCart(request: ProtocolRequestFor): Answered<ProtocolCart>;
}

export interface ProtocolOrders {
  getOrder(request: ProtocolRequestFor): Answered<ProtocolOrder>;
}

export interface ProtocolCatalogue {
  searchCatalog(request: ProtocolRequest): Answered<ProtocolProducts>;
  lookupCatalog(request: ProtocolRequest): Answered<ProtocolProducts>;
  getProduct(request: ProtocolRequest): Answered<ProtocolProduct>;
}

export interface ProtocolDiscovery {
  /** The JSON text of the manifest: all of it, or what the shop and the agent have in common. */
  manifest(request: Pick<ProtocolRequest, 'agent' | 'baseUrl'>): Answered<string>;
}

/** Everything that a protocol can be asked for. Bodies are as the protocol's own schema has read them. */
export interface ProtocolOperations
  extends ProtocolDiscovery, ProtocolSessions, ProtocolCarts, ProtocolOrders, ProtocolCatalogue {}

/** A protocol by which agents buy: replaceable, and several side by side (docs/rules/agents.md#adapters). */
export interface CommerceProtocolAdapter extends ProtocolOperations {
  /** Upper and lower case make no difference. */
  readonly alias: string;
  readonly enabled: boolean;
}

/** What one process carries out of it: sessions and carts are decided elsewhere than orders and products are read. */
export type AdapterPart = Pick<CommerceProtocolAdapter, 'alias' | 'enabled'> & Partial<ProtocolOperations>;

/** The adapter of the Universal Commerce Protocol, which is built in. */
export const UCP = 'ucp';
