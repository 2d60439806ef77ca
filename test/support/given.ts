import { expect } from 'chai';
import { fold, type Command, type Decider } from '#kernel/decider.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { eventDefinition } from '#events/registry.ts';
import { applyEvents, type HeldDocuments } from '#projection/engine/apply-batch.ts';

/** A decider without a context is asked without one. */
type ContextArgument<Context> = [Context] extends [void] ? [] : [context: Context];

/**
 * given(history).when(command).then(events). On the way it checks what holds for every decider: state is plain JSON,
 * deciding does not change it, and what is decided fits the events' schemas.
 */
export const given = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  history: readonly NoInfer<Event>[] = [],
) => ({
  when: (command: Cmd, ...[context]: ContextArgument<Context>) => {
    const decide = (): readonly Event[] => {
      const state = fold(decider, structuredClone(history));
      const before = structuredClone(state);
      expect(JSON.parse(JSON.stringify(state)), 'state is plain JSON').to.deep.equal(before);
      try {
        return decider.decide(state, command, context as Context);
      } finally {
        expect(state, 'deciding leaves the state as it is').to.deep.equal(before);
      }
    };
    return {
      /** Exactly these events, in this order. */
      then: (expected: readonly Event[]) => {
        const events = decide();
        expect(events).to.deep.equal(expected);
        for (const event of events) expectSchema(event);
        fold(decider, [...history, ...events]);
      },
      thenNothing: () => expect(decide()).to.deep.equal([]),
      /** With these among the refusal's details, if any are named. */
      thenRefused: (code: string, details: Readonly<Record<string, unknown>> = {}) => {
        const refusal = refusalOf(decide);
        expect(refusal.code).to.equal(code);
        expect(refusal.details).to.deep.include(details);
      },
      /** For assertions on a part of what was decided. */
      events: decide,
    };
  },
  /** The state that the history leads to. */
  state: (): State => fold(decider, structuredClone(history)),
});

const expectSchema = ({ type, data }: DomainEvent): void => {
  const definition = eventDefinition(type);
  expect(definition, `${type} is registered`).to.not.equal(undefined);
  expect(definition?.schema.parse(data), `${type} fits its schema`).to.deep.equal(data);
};

const refusalOf = (decide: () => readonly DomainEvent[]): Rejection => {
  try {
    const events = decide();
    return expect.fail(`not refused, but decided: ${events.map(({ type }) => type).join(', ') || 'nothing'}`);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
};

/** An event as a test gives it; what it leaves out is made up. */
export type GivenEvent = DomainEvent & Partial<Pick<Recorded, 'stream' | 'recordedAt' | 'metadata'>>;

/** The same events in one stream: `...inStream(streamOf.invoice(id), created, paid)`. */
export const inStream = (stream: string, ...events: readonly DomainEvent[]): readonly GivenEvent[] =>
  events.map((event) => ({ ...event, stream }));

/** Events as the log would hold them: positions from 1, revisions along each stream, a second between two. */
export const recordedEvents = (events: readonly GivenEvent[]): readonly Recorded[] => {
  const revisions = new Map<string, number>();
  const start = Date.UTC(2026, 0, 5, 9);
  return events.map((event, index) => {
    const { stream = 'test-1' } = event;
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const metadata = {
      correlationId: newId(),
      causationId: newId(),
      actor: { kind: 'system', id: null },
      previousHash: '',
      hash: '',
    } as const;
    return {
      recordedAt: new Date(start + index * 1000).toISOString(),
      metadata,
      ...event,
      id: newId(),
      schemaVersion: eventDefinition(event.type)?.schemaVersion ?? 1,
      stream,
      revision,
      position: index + 1,
    };
  });
};

/**
 * givenEvents(events).project(view, key).then(document). The events also go through twice and in two batch sizes, and
 * the documents must be the same.
 */
export const givenEvents = (...events: readonly GivenEvent[]) => ({
  project: (projection: AnyProjection, key: string) => {
    const recorded = recordedEvents(events);
    const documents = documentsOf(projection, [recorded]);
    const again: readonly (readonly [string, readonly (readonly Recorded[])[]])[] = [
      ['the same events twice', [recorded, recorded]],
      ['one event at a time', batchesOf(recorded, 1)],
      ['three events at a time', batchesOf(recorded, 3)],
    ];
    for (const [how, batches] of again) {
      expect(documentsOf(projection, batches), how).to.deep.equal(documents);
    }
    const document = documents.get(key) ?? null;
    return {
      /** At least these fields. */
      then: (expected: Readonly<Record<string, unknown>>) => {
        expect(document, `the document ${key} of ${projection.name}`).to.not.equal(null);
        expect(document).to.deep.include(expected);
      },
      /** There is no such document, or no longer. */
      thenNothing: () => expect(document).to.equal(null),
      document,
      documents,
    };
  },
});

const batchesOf = (events: readonly Recorded[], size: number): readonly (readonly Recorded[])[] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, batch) =>
    events.slice(batch * size, (batch + 1) * size),
  );

const documentsOf = (
  projection: AnyProjection,
  batches: readonly (readonly Recorded[])[],
): ReadonlyMap<string, Document> => {
  const held: HeldDocuments = new Map();
  for (const batch of batches) {
    const poisoned = applyEvents(projection, structuredClone(batch), held, new Set());
    if (poisoned) throw poisoned;
  }
  const documents = new Map<string, Document>();
  for (const [key, { document }] of held) if (document) documents.set(key, document);
  return documents;
};
