import { eventDefinition } from '#events/registry.ts';
import type { Recorded } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Says of encrypted fields only that there is something; of secrets that a release before wrote in clear as well. */
const masked = (data: Fields, secretFields: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(data).map(([field, value]) => {
      const sealed = value as { readonly $personal?: string; readonly $secret?: string } | null;
      if (sealed?.$personal !== undefined) return [field, '(personal)'];
      const isSecret = sealed?.$secret !== undefined || (value !== null && secretFields.includes(field));
      return [field, isSecret ? '(secret)' : value];
    }),
  );

/** Events as the log holds them, in the schema of their time, without what is encrypted: needs no key. */
export const maskedEvents = (batch: readonly StoredEvent[]): readonly Recorded[] =>
  batch.map(({ id, type, stream, revision, position, data, metadata: text }) => {
    const { schemaVersion, recordedAt, ...metadata } = JSON.parse(text);
    const fields = masked(JSON.parse(data) as Fields, eventDefinition(type)?.secretFields ?? []);
    return { id, type, schemaVersion, stream, revision, position, recordedAt, data: fields, metadata };
  });
