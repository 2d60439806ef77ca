import { eventDefinition } from '#events/registry.ts';
import type { EventMetadata, Recorded } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { readEnvelope } from './envelope.ts';
import { maskFields, type Fields } from './sealed-fields.ts';

/** An event without what is encrypted; what is damaged reads `(damaged)`. */
export type MaskedEvent = Omit<Recorded, 'metadata'> & {
  readonly metadata: EventMetadata | typeof unknownMetadata;
};

const unmarked = { personalFields: [], secretFields: [] };
const unknownMetadata = { correlationId: null } as const;
const DAMAGED = '(damaged)';

/** An auditor sees what stands around damage, and where it is. */
const orDamaged = <Value>(read: () => Value, damaged: NoInfer<Value>): Value => {
  try {
    return read();
  } catch {
    return damaged;
  }
};

type MaskedEnvelope = Pick<MaskedEvent, 'schemaVersion' | 'recordedAt' | 'metadata'>;

const envelopeOf = (stored: StoredEvent): MaskedEnvelope =>
  orDamaged<MaskedEnvelope>(
    () => {
      const { schemaVersion, recordedAt, metadata } = readEnvelope(stored);
      return { schemaVersion, recordedAt, metadata: metadata() };
    },
    { schemaVersion: 0, recordedAt: DAMAGED, metadata: unknownMetadata },
  );

const dataOf = ({ type, data }: StoredEvent): unknown =>
  orDamaged(() => maskFields(JSON.parse(data) as Fields, eventDefinition(type) ?? unmarked), {
    [DAMAGED]: 'This is not what was written: tillroll audit verify says more.',
  });

/** Whether it says who did it and what led to it. */
export const hasMetadata = (event: MaskedEvent): event is MaskedEvent & Recorded =>
  typeof event.metadata.correlationId === 'string';

/** Events as the log holds them, in the schema of their time, without what is encrypted: needs no key. */
export const maskedEvents = (batch: readonly StoredEvent[]): readonly MaskedEvent[] =>
  batch.map((stored) => {
    const { id, type, stream, revision, position } = stored;
    return { id, type, stream, revision, position, ...envelopeOf(stored), data: dataOf(stored) };
  });
