import type { EventDefinition } from '#events/define-events.ts';
import { eventDefinition } from '#events/registry.ts';
import { readEnvelope } from '#log/envelope.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { placeOf, type CreateLogCheck } from './log-check.ts';

/** Fields by the schema version in which they came under a seal, where their event is older. */
const sealedSince: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  InvoiceCancelled: { reason: 3 },
};

interface SealedFields {
  readonly fields: readonly string[];
  /** Finds one of them, anywhere in the text, that is neither missing nor sealed. */
  readonly inClear: RegExp;
}

/** Null for a type that has none. */
const sealedFieldsOf = ({ personalFields, secretFields }: EventDefinition): SealedFields | null => {
  const fields = [...personalFields, ...secretFields];
  if (fields.length === 0) return null;
  const unsealed = String.raw`"\s*:(?!\s*(?:null\b|\{\s*"\$(?:personal|secret)"\s*:\s*"))`;
  return { fields, inClear: new RegExp(`"(?:${fields.join('|')})${unsealed}`) };
};

const isSealed = (value: unknown): boolean => {
  if ((value ?? null) === null) return true;
  const { $personal, $secret } = value as { readonly $personal?: unknown; readonly $secret?: unknown };
  return typeof $personal === 'string' || typeof $secret === 'string';
};

/** A name may stand deeper in the text as well, where it is another field. */
const namesInClear = (
  { fields }: SealedFields,
  { type, data }: StoredEvent,
  version: number,
): readonly string[] => {
  const parsed = JSON.parse(data) as Readonly<Record<string, unknown>> | null;
  return fields.filter((field) => version >= (sealedSince[type]?.[field] ?? 0) && !isSealed(parsed?.[field]));
};

/** No personal and no secret field stands in clear in the log (docs/rules/personal-data.md). */
export const clearTextCheck: CreateLogCheck = (report) => {
  const known = new Map<string, SealedFields | null>();
  const sealedIn = (type: string): SealedFields | null => {
    const found = known.get(type);
    if (found !== undefined) return found;
    const definition = eventDefinition(type);
    const sealed = definition ? sealedFieldsOf(definition) : null;
    known.set(type, sealed);
    return sealed;
  };
  const namesIn = (sealed: SealedFields, event: StoredEvent): readonly string[] => {
    try {
      return namesInClear(sealed, event, readEnvelope(event).schemaVersion);
    } catch {
      // What cannot be parsed at all is reported as unreadable, or by its chain.
      return [];
    }
  };
  return {
    name: 'clear text',
    takeStored: (event) => {
      const sealed = sealedIn(event.type);
      if (!sealed?.inClear.test(event.data)) return;
      const names = namesIn(sealed, event);
      if (names.length > 0)
        report({
          ...placeOf(event),
          found: `${event.type} with ${names.join(', ')} in clear`,
          expected: 'personal and secret fields under a seal',
        });
    },
  };
};
