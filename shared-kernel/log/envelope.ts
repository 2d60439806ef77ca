import type { EventMetadata } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';

/** What stands beside an event's data. */
export interface Envelope {
  readonly schemaVersion: number;
  readonly recordedAt: string;
  readonly metadata: EventMetadata;
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

/** The subject is missing where the stream names it (`sealed-fields.ts`), and where nothing is sealed. */
export const readEnvelope = ({ metadata: text }: Pick<StoredEvent, 'metadata'>): Envelope => {
  const { schemaVersion, recordedAt, correlationId, ...rest } = JSON.parse(text) as StoredEnvelope;
  return { schemaVersion, recordedAt, metadata: { correlationId, causationId: correlationId, ...rest } };
};

/** When a stored event of any type was recorded. */
export const recordedAtOf = (stored: StoredEvent): string => readEnvelope(stored).recordedAt;
