import type { AgentRequest } from '#agents/agent-request.ts';
import type { Actor } from '#kernel/event.ts';
import type { Identity } from '../identity.ts';
import type { RequestFacts } from '../request-facts.ts';

/** Who may call a route: one file for each kind says how they are recognised and who they are in events. */
export interface Caller {
  readonly kind: string;
  /** How the list of routes names them. Default: their kind. */
  readonly label?: string;
  /** OpenAPI: the security schemes of which one admits. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** OpenAPI: those schemes, where no other kind has them. */
  readonly schemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How a route may refuse them. */
  readonly errors: readonly string[];
  /** Recognised by the bytes that they send: these are read first. Only on surfaces that keep them. */
  readonly needsRawBody?: boolean;
  /** They shop: a cookie names their basket. */
  readonly isShopper?: boolean;
  /** They are agents: what is found out about them stands in the request before they are admitted. Errors as there. */
  readonly identify?: (request: RequestFacts, identity: Identity) => AgentRequest | Promise<AgentRequest>;
  /**
   * The actor behind a request; `params`: what its path names. Errors: Rejection, one of `errors`;
   * `EngineUnavailable`. Returns at once where nothing has to be looked up.
   */
  admit(request: RequestFacts, identity: Identity, params: unknown): Actor | Promise<Actor>;
}
