import { z } from 'zod';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import type { RegisteredClient } from '#agents/oauth-clients.ts';
import { listFields, pageOfAll, pageSchema } from './listing.contract.ts';

/** An agent that members can link, or have linked, as staff see it (docs/rules/identity-linking.md#disabling). */
export const agentClientSchema = z.object({
  clientId: z.string(),
  /** False: the settings do not name it any more. Then its name is its id, and it has no addresses. */
  isRegistered: z.boolean(),
  name: z.string(),
  profileUri: z.string().nullable(),
  redirectUris: z.array(z.string()),
  scopes: z.array(z.string()),
  /** Consents of members that stand. */
  links: z.number(),
  isDisabled: z.boolean(),
  /** These three are null while it may act for members. */
  dateDisabled: z.string().nullable(),
  disabledBy: z.string().nullable(),
  disabledReason: z.string().nullable(),
});
export type AgentClientRow = z.output<typeof agentClientSchema>;

export const agentClientPage = pageSchema(agentClientSchema);
export type AgentClientPage = z.output<typeof agentClientPage>;

const { page, pageSize } = listFields(50);
export const agentClientQuery = z.object({ page, pageSize });

export const agentClientParams = z.object({ clientId: z.string().min(1).max(250) });

const reason = z.string('must be a text').trim().min(1).max(5000);

export const disableAgentClient = z.strictObject({ reason });

/** Nothing needs to be said for it. */
export const enableAgentClient = z.strictObject({ reason: reason.nullable().default(null) });

interface Standing {
  readonly timesDisabled: number;
  readonly links: number;
  readonly disabled: { readonly at: string; readonly by: string; readonly reason: string } | null;
}

interface Standings {
  of(clientId: string): Standing;
  known(): Iterable<Standing & { readonly clientId: string }>;
}

/** Without secrets. Null: neither the settings nor the log know it. */
export const agentClientRow = (
  clientId: string,
  clients: readonly RegisteredClient[],
  standings: Pick<Standings, 'of'>,
): AgentClientRow | null => {
  const client = clients.find((one) => one.clientId === clientId);
  const { timesDisabled, links, disabled } = standings.of(clientId);
  if (!client && links === 0 && timesDisabled === 0) return null;
  return {
    clientId,
    isRegistered: client !== undefined,
    name: client?.name ?? clientId,
    profileUri: client?.profileUri ?? null,
    redirectUris: [...(client?.redirectUris ?? [])],
    scopes: [CHECKOUT_SCOPE],
    links,
    isDisabled: disabled !== null,
    dateDisabled: disabled?.at ?? null,
    disabledBy: disabled?.by ?? null,
    disabledReason: disabled?.reason ?? null,
  };
};

/** In the order of the settings; then those that these do not name any more, and that are linked still or disabled. */
export const agentClientList = (
  clients: readonly RegisteredClient[],
  standings: Standings,
  query = agentClientQuery.parse({}),
) => {
  const registered = clients.map(({ clientId }) => clientId);
  const others = Array.from(standings.known())
    .filter(({ links, disabled }) => links > 0 || disabled !== null)
    .map(({ clientId }) => clientId)
    .sort();
  const ids = [...new Set([...registered, ...others])];
  return pageOfAll(
    ids.flatMap((id) => agentClientRow(id, clients, standings) ?? []),
    query,
  );
};
