import { eventDefinition } from '#events/registry.ts';
import type { Recorded } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { readEnvelope } from './envelope.ts';
import { maskFields, type Fields } from './sealed-fields.ts';

const unmarked = { personalFields: [], secretFields: [] };

/** Events as the log holds them, in the schema of their time, without what is encrypted: needs no key. */
export const maskedEvents = (batch: readonly StoredEvent[]): readonly Recorded[] =>
  batch.map((stored) => {
    const { id, type, stream, revision, position } = stored;
    const { schemaVersion, recordedAt, metadata } = readEnvelope(stored);
    const data = maskFields(JSON.parse(stored.data) as Fields, eventDefinition(type) ?? unmarked);
    return { id, type, schemaVersion, stream, revision, position, recordedAt, data, metadata: metadata() };
  });
