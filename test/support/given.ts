import { expect } from 'chai';
import { fold, type Command, type Decider } from '#kernel/decider.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { eventDefinition } from '#events/registry.ts';
import { applyEvents, type HeldDocuments } from '#projection/engine/apply-batch.ts';
import { applyEvent, type ReferencePart } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';
import { restarted, snapshotOf } from './restart-part.ts';

/** A decider without a context is asked without one. */
type ContextArgument<Context> = [Context] extends [void] ? [] : [context: Context];

/** A decider with its context: one for all commands, or what gathers it. Its tests name none. */
export const inContext = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  context: Context | ((state: State, command: Cmd) => Context),
): Decider<State, Cmd, Event> => {
  const contextOf =
    typeof context === 'function' ? (context as (...asked: [State, Cmd]) => Context) : () => context;
  return {
    ...decider,
    decide: (state, command) => decider.decide(state, command, contextOf(state, command)),
  };
};

/** A type, and what is to be found in the event's data; `pricing.totals.total` reaches inside. */
type EventLike<Event extends DomainEvent> = readonly [
  type: Event['type'],
  data?: Readonly<Record<string, unknown>>,
];

interface Asked<Event extends DomainEvent> {
  /** Exactly these events, in this order. */
  then(events: readonly Event[]): void;
  /** Events of these types, in this order, each with these among its data: `['BasketCleared', { currency }]`. */
  thenLike(...events: readonly EventLike<Event>[]): void;
  thenNothing(): void;
  /** With these among the refusal's details, if any are named. */
  thenRefused(code: string, details?: Readonly<Record<string, unknown>>): Rejection;
  /** For assertions on a part of what was decided. */
  events(): readonly Event[];
}

export interface Given<State, Cmd extends Command, Event extends DomainEvent, Context> {
  when(command: Cmd, ...context: ContextArgument<Context>): Asked<Event>;
  /** The same after these commands, where none needs a context: `given(basketIn(shop)).after(add('mug'))`. */
  after(...commands: readonly ([Context] extends [void] ? Cmd : never)[]): Given<State, Cmd, Event, Context>;
  /** The same after these events. */
  happened(...events: readonly Event[]): Given<State, Cmd, Event, Context>;
  /** The same history under other circumstances. */
  now(decider: Decider<State, Cmd, Event, Context>): Given<State, Cmd, Event, Context>;
  readonly history: readonly Event[];
  /** The state that the history leads to; with a guard, that it is of this kind: `state(isKnown)`. */
  state(): State;
  state<Kind extends State>(is: (state: State) => state is Kind): Kind;
}

/**
 * given(decider, history).when(command).then(events). On the way it checks what holds for every decider: state is plain
 * JSON, deciding does not change it, and what is decided fits the events' schemas and can be folded.
 */
export const given = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  history: readonly NoInfer<Event>[] = [],
): Given<State, Cmd, Event, Context> => ({
  when: (command, ...[context]) => asked(() => decideOn(decider, history, command, context as Context)),
  after: (...commands) => {
    const happened = [...history];
    for (const command of commands)
      happened.push(...decideOn(decider, happened, command, undefined as Context));
    return given(decider, happened);
  },
  happened: (...events) => given(decider, [...history, ...events]),
  now: (other) => given(other, history),
  history,
  state: <Kind extends State>(is?: (state: State) => state is Kind) => {
    const state = fold(decider, structuredClone(history));
    if (is && !is(state)) expect.fail(`another state was expected than ${JSON.stringify(state)}`);
    return state as Kind;
  },
});

const asked = <Event extends DomainEvent>(decide: () => readonly Event[]): Asked<Event> => ({
  then: (expected) => void expect(decide()).to.deep.equal(expected),
  thenLike: (...expected) => {
    const events = decide();
    expect(events.map(({ type }) => type)).to.deep.equal(expected.map(([type]) => type));
    expected.forEach(([type, data = {}], index) => {
      expect(events[index]?.data, type).to.deep.nested.include(data);
    });
  },
  thenNothing: () => void expect(decide()).to.deep.equal([]),
  thenRefused: (code, details = {}) => {
    const refusal = refusalOf(decide);
    expect(refusal.code).to.equal(code);
    expect(refusal.details).to.deep.include(details);
    return refusal;
  },
  events: decide,
});

const decideOn = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  decider: Decider<State, Cmd, Event, Context>,
  history: readonly NoInfer<Event>[],
  command: Cmd,
  context: Context,
): readonly Event[] => {
  const state = fold(decider, structuredClone(history));
  const before = structuredClone(state);
  expect(JSON.parse(JSON.stringify(state)), 'state is plain JSON').to.deep.equal(before);
  try {
    const events = decider.decide(state, command, context);
    for (const event of events) expectSchema(event);
    fold(decider, structuredClone([...history, ...events]));
    return events;
  } finally {
    expect(state, 'deciding leaves the state as it is').to.deep.equal(before);
  }
};

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
  project: <View extends AnyProjection>(projection: View, key: string) =>
    projected(projection, recordedEvents(events), key),
  /**
   * The part of the reference state that folds them. Another one, which is restarted from a snapshot half way through,
   * must end up with the same entries; `seen` where they are encrypted, differently each time.
   */
  foldInto: <Part extends ReferencePart>(
    create: () => Part,
    seen: (part: Part) => unknown = entriesOf,
  ): Part => {
    const recorded = recordedEvents(events);
    const part = folded(create(), recorded);
    const half = Math.ceil(recorded.length / 2);
    const resumed = folded(
      restarted(create(), folded(create(), recorded.slice(0, half))),
      recorded.slice(half),
    );
    expect(seen(resumed), 'after a restart').to.deep.equal(seen(part));
    return part;
  },
});

/** The events of one stream: givenStream(streamOf.product(id), created).project(productList). The key is its id. */
export const givenStream = (stream: string, ...events: readonly DomainEvent[]) => {
  const { project, foldInto } = givenEvents(...inStream(stream, ...events));
  return {
    foldInto,
    project: <View extends AnyProjection>(projection: View, key = idOf(stream)) => project(projection, key),
  };
};

const entriesOf = (part: ReferencePart): unknown => new Map(snapshotOf(part));

const folded = <Part extends ReferencePart>(part: Part, events: readonly Recorded[]): Part => {
  for (const event of structuredClone(events)) applyEvent(part, event);
  return part;
};

type DocumentOf<View extends AnyProjection> = Exclude<
  Parameters<NonNullable<View['on'][keyof View['on']]>>[0],
  null
>;

const projected = <View extends AnyProjection>(
  projection: View,
  events: readonly Recorded[],
  key: string,
) => {
  const documents = documentsOf(projection, [events]);
  const again: readonly (readonly [string, readonly (readonly Recorded[])[]])[] = [
    ['the same events twice', [events, events]],
    ['one event at a time', batchesOf(events, 1)],
    ['three events at a time', batchesOf(events, 3)],
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
    document: document as DocumentOf<View> | null,
    documents: documents as ReadonlyMap<string, DocumentOf<View>>,
  };
};

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
