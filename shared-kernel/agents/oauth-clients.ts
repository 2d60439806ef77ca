/** An agent as the owner has registered it (docs/rules/identity-linking.md#clients). */
export interface RegisteredClient {
  readonly clientId: string;
  readonly name: string;
  /** What the agent names in `UCP-Agent`. */
  readonly profileUri: string;
  readonly redirectUris: readonly string[];
  readonly clientSecretHash: string | null;
}

/** One that may act for members now. */
export interface OAuthClient extends RegisteredClient {
  /** Consents, codes and tokens from before it was last disabled say less, and are dead. */
  readonly timesDisabled: number;
}

/**
 * Undefined for clients that are not registered, and for those that are disabled: nothing tells them apart. Errors:
 * `EngineUnavailable` while this process does not know which are.
 */
export type FindClient = (clientId: string) => OAuthClient | undefined;

interface Standings {
  of(clientId: string): { readonly timesDisabled: number; readonly disabled: object | null };
}

/** `refuseUnusable` throws while how clients stand is not known here. */
export const clientFinder = (
  clients: readonly RegisteredClient[],
  standings: Standings,
  refuseUnusable: () => void,
): FindClient => {
  const byId = new Map(clients.map((client) => [client.clientId, client]));
  return (clientId) => {
    refuseUnusable();
    const client = byId.get(clientId);
    const { timesDisabled, disabled } = standings.of(clientId);
    return client && disabled === null ? { ...client, timesDisabled } : undefined;
  };
};
