import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import { createDueList } from './due-list.ts';
import type { AgentLinkReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** Longer than an access token lives: the tokens of what ended before have expired. */
const KEPT_MS = 2 * 3600 * 1000;

/**
 * Grants and access tokens that were ended within the last two hours, while their tokens may still be in use. Each new
 * end drops the older ones, so it never holds more.
 */
export const createAgentLinkReference = (): AgentLinkReference & ReferencePart => {
  /** When each ended, by id: ISO instants. */
  const entries = new ChunkedEntries<string>();
  const toDrop = createDueList();
  const put = (id: string, at: string): void => {
    entries.set(id, at);
    toDrop.enter(id, Date.parse(at) + KEPT_MS);
  };
  const end = (id: string, at: string): void => {
    for (const old of toDrop.take(Date.parse(at), Infinity)) entries.delete(old);
    put(id, at);
  };
  const on: Fold<AgentLinkEvent> = {
    AgentLinked: () => undefined,
    AgentUnlinked: ({ data: { grantId, at } }) => end(grantId, at),
    AgentTokenRevoked: ({ data: { tokenId, at } }) => end(tokenId, at),
    AgentLinksClosed: () => undefined,
  };
  return {
    hasEnded: (id) => entries.get(id) !== undefined,
    name: 'agentLinks',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [id, at] of kept) put(id, at as string);
    },
    clear: toDrop.clear,
  };
};
