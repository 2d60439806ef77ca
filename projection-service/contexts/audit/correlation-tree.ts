import type { Actor, Recorded } from '#kernel/event.ts';

/** An event, and what it led to. */
export interface CausedEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly recordedAt: string;
  readonly actor: Actor;
  readonly causedBy: string;
  readonly caused: readonly CausedEvent[];
}

export interface TouchedStream {
  readonly stream: string;
  readonly eventCount: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Events by what caused them, each level in the order of the log. A cause precedes what it caused. */
export const treeOf = (events: readonly Recorded[]): readonly CausedEvent[] => {
  const roots: CausedEvent[] = [];
  const causedBy = new Map<string, CausedEvent[]>();
  for (const { id, type, stream, revision, position, recordedAt, metadata } of events) {
    const { actor, causationId } = metadata;
    const caused: CausedEvent[] = [];
    const node = { id, type, stream, revision, position, recordedAt, actor, causedBy: causationId, caused };
    (causedBy.get(causationId) ?? roots).push(node);
    causedBy.set(id, caused);
  }
  return roots;
};

/** In the order in which they were touched. */
export const streamsOf = (events: readonly Recorded[]): readonly TouchedStream[] => {
  const streams = new Map<string, TouchedStream>();
  for (const { stream, recordedAt } of events) {
    const { eventCount = 0, firstAt = recordedAt } = streams.get(stream) ?? {};
    streams.set(stream, { stream, eventCount: eventCount + 1, firstAt, lastAt: recordedAt });
  }
  return [...streams.values()];
};
