import type { EventMetadata } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';

/** What stands beside an event's data. */
export interface Envelope {
  readonly schemaVersion: number;
  readonly recordedAt: string;
  readonly metadata: () => EventMetadata;
}

/** Metadata as the log keeps it: a cause that is the request itself is not said twice. */
interface StoredEnvelope extends Omit<EventMetadata, 'causationId'> {
  readonly causationId?: string;
  readonly schemaVersion: number;
  readonly recordedAt: string;
}

/** What the events of one command have in common. */
type Common = Omit<EventMetadata, 'subject' | 'hash'>;

/** The metadata text of each event of a command, up to its hash. `subject` is null where the stream names it. */
export const envelopeWriter = (recordedAt: string, { correlationId, causationId, ...rest }: Common) => {
  const cause = causationId === correlationId ? {} : { causationId };
  const shared = JSON.stringify({ recordedAt, correlationId, ...cause, ...rest }).slice(1, -1);
  return (schemaVersion: number, subject: string | null): string =>
    `{"schemaVersion":${schemaVersion},${shared}${subject === null ? '' : `,"subject":${JSON.stringify(subject)}`}`;
};

/** How the text of every release begins. Where it does not, for example after a tool has copied a log, it is parsed. */
const beginning = /^\{"schemaVersion":(\d+),"recordedAt":"([^"\\]+)",/;

/**
 * The metadata are parsed when they are asked for: few readers do. The subject is missing where the stream names it
 * (`sealed-fields.ts`), and where nothing is sealed.
 */
export const readEnvelope = ({ metadata: text }: Pick<StoredEvent, 'metadata'>): Envelope => {
  const [, version, at] = beginning.exec(text) ?? [];
  const { schemaVersion, recordedAt } =
    version !== undefined && at !== undefined
      ? { schemaVersion: Number(version), recordedAt: at }
      : (JSON.parse(text) as Partial<StoredEnvelope>);
  if (schemaVersion === undefined || recordedAt === undefined)
    throw new Error('the metadata of an event lack its schema version or when it was recorded');
  return { schemaVersion, recordedAt, metadata: () => metadataIn(text) };
};

const metadataIn = (text: string): EventMetadata => {
  const { schemaVersion: _, recordedAt: __, correlationId, ...rest } = JSON.parse(text) as StoredEnvelope;
  return { correlationId, causationId: correlationId, ...rest };
};

/** When a stored event of any type was recorded. */
export const recordedAtOf = (stored: StoredEvent): string => readEnvelope(stored).recordedAt;
