import { eventDefinition } from '#events/registry.ts';
import type { Command, Decider } from '#kernel/decider.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { chainStart, type ChainEnd } from '#log/hash-chain.ts';
import { noteSaid, type Said } from '#log/repeated-fields.ts';
import { START } from '#ports/event-store.ts';

/** A decider whose types have been checked at the engine's door. */
export type AnyDecider = Decider<unknown, Command, DomainEvent, unknown>;

/** Which events a command caused: the revisions of the first and the last. */
export interface CommandRun {
  readonly first: number;
  readonly last: number;
}

/**
 * What a process knows of one stream. `state` may be ahead of `end` while an append is in flight; when that fails, the
 * whole is thrown away and loaded again.
 */
export interface StreamState {
  state: unknown;
  end: ChainEnd;
  /** Position of the last event known; START without one. */
  position: number;
  /** When the last event was recorded; '' without one. */
  recordedAt: string;
  /** The runs of commands that carried an id, of streams that remember them. */
  readonly commands: Map<string, CommandRun>;
  /** What its events have said that later ones need not say again; of a snapshot, nothing. */
  readonly said: Map<string, Said>;
  /** Revision of the newest snapshot. */
  snapshotAt: number;
  /** The customer whose name the key of the stream's data subject carries. */
  customerId: string | null;
  /** An event or a snapshot of it was encrypted under its subject's key. */
  isPersonal: boolean;
}

export const emptyStream = (decider: AnyDecider): StreamState => ({
  state: decider.initial(),
  end: chainStart,
  position: START,
  recordedAt: '',
  commands: new Map(),
  said: new Map(),
  snapshotAt: chainStart.revision,
  customerId: null,
  isPersonal: false,
});

/** Remembers which events a command caused, where the stream does. */
export const rememberCommand = (
  { remembersCommands }: AnyDecider,
  { commands }: StreamState,
  commandId: string,
  revision: number,
): void => {
  if (remembersCommands === false) return;
  commands.set(commandId, { first: commands.get(commandId)?.first ?? revision, last: revision });
  if (remembersCommands === true || commands.size <= remembersCommands.last) return;
  const [oldest = ''] = commands.keys();
  commands.delete(oldest);
};

/** Takes in an event of the log. Refused with `unknown-event-type` when a newer release wrote it. */
export const takeEvent = (decider: AnyDecider, known: StreamState, event: Recorded): void => {
  if (!eventDefinition(event.type)) {
    const message = `The stream ${event.stream} holds ${event.type}, which this release does not know.`;
    throw new Rejection('unknown-event-type', message, { eventType: event.type });
  }
  const { revision, position, recordedAt, metadata } = event;
  known.state = evolve(decider.on, known.state, event);
  noteSaid(known.said, event, revision);
  known.end = { revision, hash: metadata.hash };
  known.position = position;
  known.recordedAt = recordedAt;
  known.isPersonal ||= metadata.subject !== undefined;
  if (metadata.commandId !== undefined) rememberCommand(decider, known, metadata.commandId, revision);
};
