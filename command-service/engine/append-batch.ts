import { withoutPersonal, type EncodedEvents, type EventCodec } from '#log/codec.ts';
import type { DataSubject } from '#kernel/decider.ts';
import { defined } from '#kernel/defined.ts';
import type { Recorded } from '#kernel/event.ts';
import { NO_STREAM, type EventToAppend } from '#ports/event-store.ts';
import type { Appendable } from './append-health.ts';
import { appendUntilKnown } from './append-until-known.ts';
import type { Appending } from './decide-batch.ts';
import type { StreamState } from './stream-state.ts';

/** What was appended, and whether a subject is forgotten by now: then the state knows more than the log. */
export interface Appended {
  /** The events of each command, in order; their position is that of the append. */
  readonly recorded: readonly (readonly Recorded[])[];
  readonly knowsTooMuch: boolean;
}

/**
 * Puts the events of a batch into the log and the stream's new end into `known`. Of a subject that is forgotten, no
 * personal value is recorded. Errors: `WrongExpectedRevision` (nothing was appended),
 * `EngineUnavailable` (the outcome is still unknown at the deadline, in `performance.now()`).
 */
export const appendBatch = async (
  stream: string,
  batch: readonly Appending[],
  known: StreamState,
  options: {
    readonly store: Appendable;
    readonly codec: EventCodec;
    /** When the events happen, by the shop's clock; called as late as possible, so that times go up along the log. */
    readonly recordedAt: () => string;
    readonly deadline: number;
    /** Told how long the log took until it was known that the events are in it. */
    readonly onAppended?: ((seconds: number) => void) | undefined;
  },
): Promise<Appended> => {
  const { store, codec, deadline } = options;
  const keys = await subjectKeys(batch, known, codec);
  const { end, recordedAt } = known;
  const now = options.recordedAt();
  known.recordedAt = now > recordedAt ? now : recordedAt;

  const toAppend: EventToAppend[] = [];
  const recorded: (readonly Recorded[])[] = [];
  for (const one of batch) {
    const encoded = encode(stream, one, known, codec, keys);
    toAppend.push(...encoded.toAppend);
    recorded.push(encoded.recorded);
    known.end = encoded.end;
  }
  const begun = performance.now();
  const { position } = await appendUntilKnown(
    store,
    { stream, expectedRevision: end.revision, events: toAppend },
    deadline,
  );
  options.onAppended?.((performance.now() - begun) / 1000);
  known.position = position;
  for (const events of recorded) {
    for (const event of events) (event as { position: number }).position = position;
  }
  return { recorded, knowsTooMuch: [...keys.values()].includes(null) };
};

type Keys = ReadonlyMap<string, Buffer | null>;
const noKeys: Keys = new Map();

/** The keys that the batch needs, made where they are missing; a basket's key learns its customer. Null: forgotten. */
const subjectKeys = async (
  batch: readonly Appending[],
  known: StreamState,
  codec: EventCodec,
): Promise<Keys> => {
  let keys: Map<string, Buffer | null> | null = null;
  const isNew = known.end.revision === NO_STREAM;
  for (const { drafts, subject } of batch) {
    if (!subject) continue;
    if (drafts.some(({ isPersonal }) => isPersonal)) {
      keys ??= new Map();
      keys.set(subject.id, await codec.keys.ensure(subject, isNew));
      known.customerId = subject.customerId ?? null;
      known.isPersonal = true;
    } else if (isNewCustomer(subject, known)) {
      await codec.keys.nameCustomer(subject);
      known.customerId = subject.customerId ?? null;
    }
  }
  return keys ?? noKeys;
};

const isNewCustomer = ({ customerId = null }: DataSubject, known: StreamState): boolean =>
  customerId !== null && customerId !== known.customerId;

const encode = (
  stream: string,
  { request: { meta }, drafts, subject }: Appending,
  known: StreamState,
  codec: EventCodec,
  keys: Keys,
): EncodedEvents => {
  const { correlationId, causationId, commandId, bodyFingerprint, actor } = meta;
  const key = subject ? keys.get(subject.id) : undefined;
  const subjectKey = key ?? undefined;
  const stamp = {
    recordedAt: known.recordedAt,
    correlationId,
    causationId,
    ...defined({ commandId, bodyFingerprint }),
    actor,
    ...(subject && { subject: subject.id }),
    ...defined({ subjectKey }),
  };
  const kept = key === null ? drafts.map(withoutPersonal) : drafts;
  return codec.encode(stream, known.end, kept, stamp, known.said);
};
