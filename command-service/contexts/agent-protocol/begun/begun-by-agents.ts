import type { AgentCartEvent } from '#events/agent-cart.events.ts';
import type { AgentSessionEvent } from '#events/agent-session.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';

/** What agents begin; each kind is counted for itself. */
export type Begun = 'session' | 'cart';

/** How many sessions and carts are not over, by those who began them. */
export interface BegunByAgents extends ReferencePart {
  /** Of a signed profile all; of a network those that this process has begun. */
  countOf(begun: Begun, owner: string): number;
  /** Where one without a signature came from: the log does not say it. */
  cameFrom(begun: Begun, id: string, network: string): void;
}

const keyOf = (begun: Begun, owner: string): string => `${begun} ${owner}`;

interface Kept {
  get(id: string): string | undefined;
  set(id: string, key: string): unknown;
}

const createBook = () => {
  const signed = new ChunkedEntries<string>();
  const unsigned = new Map<string, string>();
  const counts = new Map<string, number>();
  const count = (key: string, by: 1 | -1): void => {
    const now = (counts.get(key) ?? 0) + by;
    if (now > 0) counts.set(key, now);
    else counts.delete(key);
  };
  const putIn = (kept: Kept, id: string, key: string): void => {
    if (kept.get(id) !== undefined) return;
    kept.set(id, key);
    count(key, 1);
  };
  return {
    ...{ signed, unsigned, counts, putIn },
    remove: (id: string): void => {
      for (const kept of [signed, unsigned]) {
        const key = kept.get(id);
        if (key === undefined) continue;
        kept.delete(id);
        count(key, -1);
      }
    },
  };
};
type Book = ReturnType<typeof createBook>;

interface BegunEvent {
  readonly stream: string;
  readonly data: { readonly agent: string; readonly isVerified: boolean };
}

const foldOf = ({ signed, putIn, remove }: Book): Partial<Fold<AgentSessionEvent | AgentCartEvent>> => {
  const begins =
    (begun: Begun) =>
    ({ stream, data: { agent, isVerified } }: BegunEvent): void => {
      if (isVerified) putIn(signed, idOf(stream), keyOf(begun, agent));
    };
  const over = ({ stream }: Pick<Recorded, 'stream'>): void => remove(idOf(stream));
  return {
    AgentSessionStarted: begins('session'),
    AgentSessionCompleted: over,
    AgentSessionCancelled: over,
    AgentSessionExpired: over,
    AgentCartStarted: begins('cart'),
    AgentCartCompleted: over,
    AgentCartCancelled: over,
    AgentCartExpired: over,
  };
};

/** Folded from the log, with a snapshot: a limit costs no look anywhere (docs/rules/agents.md#limits). */
export const createBegunByAgents = (): BegunByAgents => {
  const book = createBook();
  const { signed, unsigned, counts, putIn } = book;
  return {
    name: 'begun-by-agents',
    isBookkeeping: true,
    version: 1,
    on: foldOf(book),
    countOf: (begun, owner) => counts.get(keyOf(begun, owner)) ?? 0,
    cameFrom: (begun, id, network) => putIn(unsigned, id, keyOf(begun, network)),
    entries: signed,
    restore: (kept) => {
      for (const [id, key] of kept as readonly (readonly [string, string])[]) putIn(signed, id, key);
    },
    clear: () => {
      unsigned.clear();
      counts.clear();
    },
  };
};
