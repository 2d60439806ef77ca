import type { AgentClientEvent } from '#events/agent-client.events.ts';
import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import { actorName } from '#kernel/event.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import type { AgentClientReference, AgentClientStanding, KnownAgentClient } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

const untouched: AgentClientStanding = { timesDisabled: 0, disabled: null, links: 0 };

/** How the agents stand that members can link, by the ids of their clients. */
export const createAgentClientReference = (): AgentClientReference & ReferencePart => {
  const entries = new ChunkedEntries<KnownAgentClient>();
  const of = (clientId: string): AgentClientStanding => entries.get(clientId) ?? untouched;
  const change = (clientId: string, changes: Partial<AgentClientStanding>): void =>
    entries.set(clientId, { ...of(clientId), ...changes, clientId });
  /** A link that rests on an older consent is dead already, and not counted. */
  const count = (clientId: string, timesDisabled: number, difference: 1 | -1): void => {
    const standing = of(clientId);
    if (standing.timesDisabled === timesDisabled) change(clientId, { links: standing.links + difference });
  };
  const on: Fold<AgentClientEvent | AgentLinkEvent> = {
    AgentClientDisabled: ({ data: { clientId, reason, at }, metadata: { actor } }) =>
      change(clientId, {
        timesDisabled: of(clientId).timesDisabled + 1,
        disabled: { at, by: actorName(actor), reason },
        links: 0,
      }),
    AgentClientEnabled: ({ data: { clientId } }) => change(clientId, { disabled: null }),
    AgentLinked: ({ data: { clientId, timesDisabled = 0 } }) => count(clientId, timesDisabled, 1),
    AgentUnlinked: ({ data: { clientId, timesDisabled = 0 } }) => count(clientId, timesDisabled, -1),
    AgentTokenRevoked: () => undefined,
    AgentLinksClosed: () => undefined,
  };
  return {
    of,
    known: () => entries.values(),
    name: 'agentClients',
    version: 2,
    on,
    entries,
    restore: (kept) => {
      for (const [clientId, standing] of kept) entries.set(clientId, standing as KnownAgentClient);
    },
    clear: () => undefined,
  };
};
