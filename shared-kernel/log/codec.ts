import type { EventDefinition } from '#events/define-events.ts';
import { eventDefinition } from '#events/registry.ts';
import { upcast } from '#events/upcasters.ts';
import type { Actor, DomainEvent, EventMetadata, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { EventToAppend, StoredEvent } from '#ports/event-store.ts';
import type { EventDecoder } from './decode-page.ts';
import { keyFor } from '#runtime/keys.ts';
import { seal, unseal } from './encryption.ts';
import { hashOf, sealMetadata, type ChainEnd } from './hash-chain.ts';
import { LatestEvents, type EventAtHand } from './latest-events.ts';
import type { SubjectKeys } from './subject-keys.ts';

type Fields = Readonly<Record<string, unknown>>;

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
  /** Puts drafts at the end of a stream: ids, metadata, encryption, hashes. */
  encode(stream: string, end: ChainEnd, drafts: readonly Draft[], stamp: Stamp): EncodedEvents;
  /**
   * The events as today's schemas have them, in the same order. Types that this release does not know come with their
   * data as stored. Errors: `EngineUnavailable`; an `Error` for an event that this release cannot read.
   */
  decodeAll(batch: readonly StoredEvent[]): Promise<readonly Recorded[]>;
}

/** How metadata stands in the log; the two hashes follow. */
interface StoredMetadata extends EventMetadata {
  readonly schemaVersion: number;
  readonly recordedAt: string;
}

/** A stored event that has been parsed but may still have encrypted fields. */
interface Parsed {
  readonly stored: StoredEvent;
  readonly definition: EventDefinition | undefined;
  readonly metadata: StoredMetadata;
  readonly data: unknown;
}

/** `applicationKey`: 32 bytes, for secrets; personal fields have the keys of their subjects. */
export const createCodec = (options: {
  readonly keys: SubjectKeys;
  readonly applicationKey: Buffer;
}): EventCodec => {
  const { keys } = options;
  const secretKey = keyFor(options.applicationKey, 'secrets');
  const latest = new LatestEvents();

  return {
    keys,
    draft,
    encode: (stream, end, drafts, stamp) => {
      const encoded = encode(stream, end, drafts, stamp, secretKey);
      keepAtHand(latest, encoded, drafts, stamp);
      return encoded;
    },
    decodeAll: async (batch) => {
      const read = batch.map((stored) => latest.take(stored) ?? parse(stored));
      const subjects = new Set<string>();
      for (const one of read) collectSubject(one, subjects);
      const subjectKeys = subjects.size === 0 ? noKeys : await keys.load(subjects);
      return read.map((one) => {
        if ('recorded' in one && isOpenStill(one, subjectKeys)) return inItsPlace(one);
        const parsed = 'recorded' in one ? parse(one.stored) : one;
        return toRecorded(parsed, decrypt(parsed, subjectKeys, secretKey));
      });
    },
  };
};

/** When a stored event was recorded, whatever its type. */
export const recordedAtOf = ({ metadata }: StoredEvent): string =>
  (JSON.parse(metadata) as StoredMetadata).recordedAt;

const noKeys: ReadonlyMap<string, Buffer> = new Map();

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
    isPersonal: definition.personalFields.some((field) => (data[field] ?? null) !== null),
  };
};

const encode = (
  stream: string,
  end: ChainEnd,
  drafts: readonly Draft[],
  stamp: Stamp,
  secretKey: Buffer,
): EncodedEvents => {
  const { recordedAt, correlationId, causationId, commandId, bodyFingerprint, subject, actor } = stamp;
  const shared = {
    correlationId,
    causationId,
    ...(commandId === undefined ? {} : { commandId }),
    ...(bodyFingerprint === undefined ? {} : { bodyFingerprint }),
    ...(subject === undefined ? {} : { subject }),
    actor,
  };
  const sharedText = JSON.stringify({ recordedAt, ...shared }).slice(1, -1);
  const toAppend: EventToAppend[] = [];
  const recorded: Recorded[] = [];
  let { revision, hash } = end;
  for (const one of drafts) {
    const { schemaVersion } = one.definition;
    const { type } = one.event;
    const link = { stream, revision: ++revision, id: newId(), type, data: encrypted(one, stamp, secretKey) };
    const text = `{"schemaVersion":${schemaVersion},${sharedText}`;
    const previousHash = hash;
    hash = hashOf(previousHash, link, text);
    toAppend.push({ id: link.id, type, data: link.data, metadata: sealMetadata(text, previousHash, hash) });
    const metadata = { ...shared, previousHash, hash };
    recorded.push({
      type,
      data: one.event.data,
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
  stamp: Stamp,
  secretKey: Buffer,
): string => {
  if (!isPersonal && definition.secretFields.length === 0) return text;
  const data: Record<string, unknown> = { ...(event.data as Fields) };
  for (const field of definition.secretFields) {
    if ((data[field] ?? null) !== null)
      data[field] = { $secret: seal(secretKey, JSON.stringify(data[field])) };
  }
  if (!isPersonal) return JSON.stringify(data);
  const { subjectKey } = stamp;
  if (!subjectKey) throw new TypeError(`${event.type} has personal fields, but no data subject`);
  for (const field of definition.personalFields) {
    if ((data[field] ?? null) !== null)
      data[field] = { $personal: seal(subjectKey, JSON.stringify(data[field])) };
  }
  return JSON.stringify(data);
};

const parse = (stored: StoredEvent): Parsed => {
  const definition = eventDefinition(stored.type);
  const metadata = JSON.parse(stored.metadata) as StoredMetadata;
  const data: unknown = JSON.parse(stored.data);
  const { schemaVersion } = metadata;
  if (definition === undefined || definition.schemaVersion === schemaVersion)
    return { stored, definition, metadata, data };
  if (schemaVersion > definition.schemaVersion) {
    throw new Error(`${stored.type} version ${schemaVersion} was written by a newer release`);
  }
  return {
    stored,
    definition,
    metadata,
    data: upcast(stored.type, data, schemaVersion, definition.schemaVersion),
  };
};

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

const collectSubject = (event: Parsed | EventAtHand, subjects: Set<string>): void => {
  if ('recorded' in event) {
    if (event.under) subjects.add(event.under.subject);
    return;
  }
  const { definition, metadata } = event;
  if (definition && definition.personalFields.length > 0 && metadata.subject !== undefined)
    subjects.add(metadata.subject);
};

/** The data in clear. What no key opens any more is null. */
const decrypt = (parsed: Parsed, subjectKeys: ReadonlyMap<string, Buffer>, secretKey: Buffer): unknown => {
  const { definition, metadata, data } = parsed;
  if (!definition || definition.personalFields.length + definition.secretFields.length === 0) return data;
  const clear: Record<string, unknown> = { ...(data as Fields) };
  const subjectKey = metadata.subject === undefined ? undefined : subjectKeys.get(metadata.subject);
  for (const field of definition.personalFields) {
    const sealed = (clear[field] as { readonly $personal?: string } | null | undefined)?.$personal;
    if (sealed !== undefined) clear[field] = opened(subjectKey, sealed);
  }
  for (const field of definition.secretFields) {
    const sealed = (clear[field] as { readonly $secret?: string } | null | undefined)?.$secret;
    if (sealed !== undefined) clear[field] = opened(secretKey, sealed);
  }
  return clear;
};

const opened = (key: Buffer | undefined, sealed: string): unknown => {
  const text = key && unseal(key, sealed);
  return text ? JSON.parse(text.toString()) : null;
};

const toRecorded = ({ stored, metadata: all }: Parsed, data: unknown): Recorded => {
  const { schemaVersion, recordedAt, ...metadata } = all;
  const { type, id, stream, revision, position } = stored;
  return { type, data, id, schemaVersion, stream, revision, position, recordedAt, metadata };
};
