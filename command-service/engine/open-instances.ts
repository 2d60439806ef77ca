import type { Recorded } from '#kernel/event.ts';
import type { Effect, Process } from '#kernel/process.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { idOf } from '#values/stream-name.ts';

/** An instance of a process that the log has opened and not closed. */
export interface OpenInstance {
  /** The process's name. */
  readonly process: string;
  /** The stream's id: of the basket, or of the invoice. */
  readonly id: string;
  /** Revision of the event that opened it, or of the one that it went on with. */
  readonly revision: number;
  /** That event, and what it stands for; missing in what an older release kept. */
  readonly openedBy?: { readonly eventId: string; readonly correlationId: string };
}

export interface OpenInstances extends ReferencePart {
  list(): readonly OpenInstance[];
}

/** Of a process, what tells when its instances open and end. */
export type Lifetime = Pick<Process<never, never>, 'name' | 'on' | 'endsElsewhere'>;

/** What an event means for one instance. */
interface Meaning {
  readonly process: string;
  readonly id: string;
  /** null: none. */
  readonly effect: Effect | null;
}

type Interpret = (event: Recorded) => Meaning;

/** By event type, every process that it concerns. */
const interpretersOf = (processes: readonly Lifetime[]): ReadonlyMap<string, readonly Interpret[]> => {
  const byType = new Map<string, Interpret[]>();
  const add = (type: string, interpret: Interpret): void => {
    byType.set(type, [...(byType.get(type) ?? []), interpret]);
  };
  for (const { name: process, on, endsElsewhere = {} } of processes) {
    for (const [type, effect] of Object.entries(on)) {
      add(type, (event) => ({
        process,
        id: idOf(event.stream),
        effect: typeof effect === 'function' ? effect(event) : effect,
      }));
    }
    for (const [type, instance] of Object.entries(endsElsewhere))
      add(type, (event) => ({ process, id: instance(event), effect: 'ends' }));
  }
  return byType;
};

/**
 * The processes that are under way, folded from the log like reference state and with a snapshot, so that finding what
 * a crash left open never scans the log.
 */
export const createOpenInstances = (processes: readonly Lifetime[]): OpenInstances => {
  const entries = new ChunkedEntries<OpenInstance>();
  const take = (event: Recorded, interpret: Interpret): void => {
    const { process, id, effect } = interpret(event);
    if (effect === null) return;
    const key = `${process} ${id}`;
    if (effect === 'ends') entries.delete(key);
    else {
      const openedBy = { eventId: event.id, correlationId: event.metadata.correlationId };
      entries.set(key, { process, id, revision: event.revision, openedBy });
    }
  };
  return {
    name: 'open-instances',
    isBookkeeping: true,
    version: 2,
    on: Object.fromEntries(
      [...interpretersOf(processes)].map(([type, interpreters]) => [
        type,
        (event: Recorded) => {
          for (const interpret of interpreters) take(event, interpret);
        },
      ]),
    ),
    list: () => [...entries.values()],
    entries,
    restore: (kept) => {
      for (const [key, instance] of kept) entries.set(key, instance as OpenInstance);
    },
    clear: () => undefined,
  };
};
