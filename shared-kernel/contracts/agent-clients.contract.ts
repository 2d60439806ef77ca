import { z } from 'zod';
import { CHECKOUT_SCOPE } from '#agents/access-tokens.ts';
import type { RegisteredClient } from '#agents/oauth-clients.ts';
import { listFields, pageOfAll, pageSchema } from './listing.contract.ts';

/** A registered agent, as staff see it (docs/rules/identity-linking.md#disabling). */
const agentClient = z.object({
  clientId: z.string(),
  name: z.string(),
  profileUri: z.string(),
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

export const agentClientPage = pageSchema(agentClient);
export type AgentClientPage = z.output<typeof agentClientPage>;

const { page, pageSize } = listFields(50);
export const agentClientQuery = z.object({ page, pageSize });

export const agentClientParams = z.object({ clientId: z.string().min(1).max(250) });

const reason = z.string('must be a text').trim().min(1).max(5000);

export const disableAgentClient = z.strictObject({ reason });

/** Nothing needs to be said for it. */
export const enableAgentClient = z.strictObject({ reason: reason.nullable().default(null) });

interface Standing {
  readonly links: number;
  readonly disabled: { readonly at: string; readonly by: string; readonly reason: string } | null;
}

/** In the order of the settings; without secrets. */
export const agentClientList = (
  clients: readonly RegisteredClient[],
  standings: { of(clientId: string): Standing },
  query = agentClientQuery.parse({}),
) => {
  const items = clients.map(({ clientId, name, profileUri, redirectUris }) => {
    const { links, disabled } = standings.of(clientId);
    return {
      ...{ clientId, name, profileUri, redirectUris: [...redirectUris], scopes: [CHECKOUT_SCOPE], links },
      isDisabled: disabled !== null,
      dateDisabled: disabled?.at ?? null,
      disabledBy: disabled?.by ?? null,
      disabledReason: disabled?.reason ?? null,
    };
  });
  return pageOfAll(items, query);
};
