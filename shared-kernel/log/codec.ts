import { withoutPersonalFields, type EventDefinition } from '#events/define-events.ts';
import { eventDefinition } from '#events/registry.ts';
import { upcast } from '#events/upcasters.ts';
import type { Actor, DomainEvent, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { EventStore, EventToAppend, StoredEvent } from '#ports/event-store.ts';
import type { EventDecoder } from './decode-page.ts';
import { keyFor } from '#runtime/keys.ts';
import { idOf } from '#values/stream-name.ts';
import { envelopeWriter, readEnvelope, type Envelope } from './envelope.ts';
import { hashOf, sealMetadata, type ChainEnd } from './hash-chain.ts';
import { LatestEvents, type EventAtHand } from './latest-events.ts';
import { ReadEvent } from './read-event.ts';
import { leaveOutSaid, leftOutOf, SaidBefore, type LeftOut, type SaidInStream } from './repeated-fields.ts';
import { isPersonal, isSealed, openFields, sealPersonal, sealSecrets, type Fields } from './sealed-fields.ts';
import type { SubjectKeys } from './subject-keys.ts';

/** An event that fits its schema, not yet in its place. */
export interface Draft {
  readonly event: DomainEvent;
  readonly definition: EventDefinition;
  /** The data as JSON text, personal and secret fields in clear. */
  readonly text: string;
  /** True when a personal field has a value: the subject's key must be there first. */
  readonly isPersonal: boolean;
}

/** What the events of one command have in common. */
export interface Stamp {
  /** ISO instant of the shop's clock. */
  readonly recordedAt: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly commandId?: string;
  readonly bodyFingerprint?: string;
  readonly actor: Actor;
  readonly subject?: string;
  /** The subject's key; needed when a draft is personal. */
  readonly subjectKey?: Buffer;
}

export interface EncodedEvents {
  readonly toAppend: readonly EventToAppend[];
  /** The same events as readers will see them; their position is 0 until the append is known. */
  readonly recorded: readonly Recorded[];
  readonly end: ChainEnd;
}

/** Turns events into the texts that the log keeps, and back (docs/architecture.md#events). */
export interface EventCodec extends EventDecoder {
  readonly keys: SubjectKeys;
  /** Checks an event against its schema; what the schema does not name is left out. A misfit is a programming error. */
  draft(event: DomainEvent): Draft;
  /**
   * Puts drafts at the end of a stream: ids, metadata, encryption, hashes. What the stream has `said` already is not
   * kept again.
   */
  encode(
    stream: string,
    end: ChainEnd,
    drafts: readonly Draft[],
    stamp: Stamp,
    said?: SaidInStream,
  ): EncodedEvents;
  /**
   * The events as today's schemas have them, in the same order. Types that this release does not know come with their
   * data as stored. Errors: `EngineUnavailable`; an `Error` for an event that this release cannot read.
   */
  decodeAll(batch: readonly StoredEvent[]): Promise<readonly Recorded[]>;
}

/** A stored event that has been parsed but may still have encrypted fields, in the schema of its time. */
interface Parsed extends Envelope {
  readonly stored: StoredEvent;
  readonly definition: EventDefinition | undefined;
  readonly data: Fields;
  /** Under whose key something of it is encrypted. */
  readonly subject: string | null;
  readonly leftOut: readonly LeftOut[];
}

/**
 * `applicationKey`: 32 bytes, for secrets; personal fields have the keys of their subjects. `store`: where earlier
 * events are read that later ones leave something to.
 */
export const createCodec = (options: {
  readonly keys: SubjectKeys;
  readonly applicationKey: Buffer;
  readonly store: Pick<EventStore, 'readStream'>;
}): EventCodec => {
  const { keys, store } = options;
  const secretKey = keyFor(options.applicationKey, 'secrets');
  const latest = new LatestEvents();
  const opening = { load: (subjects: ReadonlySet<string>) => keys.load(subjects), secretKey };

  return {
    keys,
    draft,
    encode: (stream, end, drafts, stamp, said = nothingSaid) => {
      const encoded = encode({ stream, end, said }, drafts, stamp, secretKey);
      keepAtHand(latest, encoded, drafts, stamp);
      return encoded;
    },
    decodeAll: decoderOf(store, latest, opening),
  };
};

/** For readers who hold no key: what is encrypted reads as null. */
export const createKeylessDecoder = (store: Pick<EventStore, 'readStream'>): EventDecoder => ({
  decodeAll: decoderOf(store, new LatestEvents(), {
    load: () => Promise.resolve(noKeys),
    secretKey: Buffer.alloc(32),
  }),
});

interface Opening {
  readonly load: SubjectKeys['load'];
  readonly secretKey: Buffer;
}

const decoderOf = (
  store: Pick<EventStore, 'readStream'>,
  latest: LatestEvents,
  { load, secretKey }: Opening,
): EventDecoder['decodeAll'] => {
  const saidBefore = new SaidBefore(store, (stored) => toRecorded(parse(stored), noKeys, secretKey));
  return async (batch) => {
    const read = batch.map((stored) => latest.take(stored) ?? parse(stored));
    const subjects = new Set<string>();
    for (const one of read) collectSubject(one, subjects);
    const subjectKeys = subjects.size === 0 ? noKeys : await load(subjects);
    const inClear = read.map((one) => {
      const found = inClearOf(one, subjectKeys, secretKey);
      saidBefore.note(found.event, one.stored.data.length);
      return found;
    });
    return saidBefore.complete(inClear);
  };
};

const noKeys: ReadonlyMap<string, Buffer> = new Map();
const nothingSaid: SaidInStream = new Map();

const draft = (event: DomainEvent): Draft => {
  const definition = eventDefinition(event.type);
  if (!definition) throw new TypeError(`the event type ${event.type} is not registered`);
  const checked = definition.schema.safeParse(event.data);
  if (!checked.success)
    throw new TypeError(`${event.type} does not fit its schema: ${checked.error.message}`);
  const data = checked.data as Fields;
  return {
    event: { type: event.type, data },
    definition,
    text: JSON.stringify(data),
    isPersonal: isPersonal(definition, data),
  };
};

/** What is left of a draft whose subject is forgotten. */
export const withoutPersonal = (draft: Draft): Draft => {
  if (!draft.isPersonal) return draft;
  const { event, definition } = draft;
  const data = withoutPersonalFields(definition, event.data as Fields);
  return { event: { type: event.type, data }, definition, text: JSON.stringify(data), isPersonal: false };
};

const encode = (
  { stream, end, said }: { readonly stream: string; readonly end: ChainEnd; readonly said: SaidInStream },
  drafts: readonly Draft[],
  stamp: Stamp,
  secretKey: Buffer,
): EncodedEvents => {
  const { recordedAt, subject, subjectKey: _, ...common } = stamp;
  const envelope = envelopeWriter(recordedAt, common);
  const namedSubject = subject === undefined || subject === idOf(stream) ? null : subject;
  const toAppend: EventToAppend[] = [];
  const recorded: Recorded[] = [];
  let { revision, hash } = end;
  for (const one of drafts) {
    const { schemaVersion } = one.definition;
    const { type, data } = one.event;
    revision++;
    const kept = leaveOutSaid(one.definition, data as Fields, revision, said);
    const link = { stream, revision, id: newId(), type, data: encrypted(one, kept, stamp, secretKey) };
    const text = envelope(schemaVersion, one.isPersonal ? namedSubject : null);
    hash = hashOf(hash, link, text);
    toAppend.push({ id: link.id, type, data: link.data, metadata: sealMetadata(text, hash) });
    const whose = one.isPersonal && subject !== undefined ? { subject } : {};
    const metadata = { ...common, ...whose, hash };
    recorded.push({
      type,
      data,
      id: link.id,
      schemaVersion,
      stream,
      revision,
      position: 0,
      recordedAt,
      metadata,
    });
  }
  return { toAppend, recorded, end: { revision, hash } };
};

/** The data text as the log keeps it. */
const encrypted = (
  { event, definition, text, isPersonal }: Draft,
  kept: Fields,
  stamp: Stamp,
  secretKey: Buffer,
): string => {
  if (!isPersonal && definition.secretFields.length === 0)
    return kept === event.data ? text : JSON.stringify(kept);
  const data = sealSecrets(definition, kept, secretKey);
  if (!isPersonal) return JSON.stringify(data);
  const { subjectKey } = stamp;
  if (!subjectKey) throw new TypeError(`${event.type} has personal fields, but no data subject`);
  return JSON.stringify(sealPersonal(definition, data, subjectKey));
};

const parse = (stored: StoredEvent): Parsed => {
  const definition = eventDefinition(stored.type);
  const envelope = readEnvelope(stored);
  const data = JSON.parse(stored.data) as Fields;
  const { schemaVersion } = envelope;
  if (definition && schemaVersion > definition.schemaVersion)
    throw new Error(`${stored.type} version ${schemaVersion} was written by a newer release`);
  const subject = definition && isSealed(definition, data) ? subjectOf(stored, envelope) : null;
  const leftOut = definition ? leftOutOf(definition, data) : [];
  return { stored, definition, data, subject, leftOut, ...envelope };
};

/** Where the envelope does not say it, the stream does: a basket's own, or a customer's. */
const subjectOf = ({ stream }: StoredEvent, { metadata }: Envelope): string =>
  metadata().subject ?? idOf(stream);

const keepAtHand = (
  latest: LatestEvents,
  { toAppend, recorded }: EncodedEvents,
  drafts: readonly Draft[],
  { subject, subjectKey }: Stamp,
): void => {
  const key = subject !== undefined && subjectKey ? { subject, key: subjectKey } : null;
  drafts.forEach(({ isPersonal }, index) => {
    const [written, read] = [toAppend[index], recorded[index]];
    if (written && read) latest.keep(written, read, isPersonal ? key : null);
  });
};

/** False once the subject is forgotten: then the event has to be read as it stands in the log. */
const isOpenStill = ({ under }: EventAtHand, subjectKeys: ReadonlyMap<string, Buffer>): boolean =>
  under === null || subjectKeys.get(under.subject)?.equals(under.key) === true;

const inItsPlace = ({ stored: { position }, recorded }: EventAtHand): Recorded => ({ ...recorded, position });

/** With what its text leaves out. One that is at hand is whole, and its text is not parsed. */
const inClearOf = (
  one: Parsed | EventAtHand,
  subjectKeys: ReadonlyMap<string, Buffer>,
  secretKey: Buffer,
): { readonly event: Recorded; readonly leftOut: Parsed['leftOut'] } => {
  if ('recorded' in one && isOpenStill(one, subjectKeys)) return { event: inItsPlace(one), leftOut: [] };
  const parsed = 'recorded' in one ? parse(one.stored) : one;
  return { event: toRecorded(parsed, subjectKeys, secretKey), leftOut: parsed.leftOut };
};

const collectSubject = (event: Parsed | EventAtHand, subjects: Set<string>): void => {
  const subject = 'recorded' in event ? event.under?.subject : event.subject;
  if (typeof subject === 'string') subjects.add(subject);
};

/** In clear first, then as today's schema has it. What no key opens any more is null. */
const toRecorded = (
  { stored, definition, schemaVersion, recordedAt, metadata, data: asStored, subject }: Parsed,
  subjectKeys: ReadonlyMap<string, Buffer>,
  secretKey: Buffer,
): Recorded => {
  const { type, id, stream, revision, position } = stored;
  const place = { type, id, schemaVersion, stream, revision, position, recordedAt };
  const subjectKey = subject === null ? undefined : subjectKeys.get(subject);
  const readData = (): unknown => {
    if (!definition) return asStored;
    const clear = openFields(definition, asStored, { subjectKey, secretKey });
    return upcast(type, clear, schemaVersion, definition.schemaVersion);
  };
  return new ReadEvent(place, readData, subject === null ? metadata : () => ({ ...metadata(), subject }));
};
