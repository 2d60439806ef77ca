import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import { createDueList } from './due-list.ts';
import type { AgentLinkReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** Longer than an access token lives: what ended before needs no memory, its tokens have expired. */
const KEPT_MS = 2 * 3600 * 1000;

/**
 * The grants and access tokens that were ended while tokens of theirs may still be about. The next end drops those that
 * are two hours older: it never holds more than what has ended within that time.
 */
export const createAgentLinkReference = (): AgentLinkReference & ReferencePart => {
  /** By id, when it ended: an ISO instant. */
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
