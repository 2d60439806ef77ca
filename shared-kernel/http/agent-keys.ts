import type { IdempotencyRules } from './idempotent.ts';
import { ProtocolRejection } from './protocol-rejection.ts';

const visible = /^[\x21-\x7e]{8,255}$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same text for bodies that say the same. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, canonical(member)]));
};

/** Of the statuses below 500. */
const neverKept: ReadonlySet<number> = new Set([401, 403, 413, 429]);
const codesNeverKept: ReadonlySet<string> = new Set([
  'conflict',
  'idempotency_conflict',
  'idempotency_in_progress',
]);

/** How agents' keys work: refusals of a body are answers like any other (docs/rules/agents.md#repeats). */
export const agentKeys: IdempotencyRules = {
  keyOf: (header) => {
    if (header === undefined || visible.test(header)) return header;
    throw new ProtocolRejection({
      code: 'invalid',
      text: 'Idempotency-Key: must be 8 to 255 visible characters.',
    });
  },
  textOf: (body) => JSON.stringify(canonical(body)),
  isKept: ({ status, code = '' }) => !neverKept.has(status) && !codesNeverKept.has(code),
  repeated: { 'Idempotency-Replayed': 'true' },
  unavailable: () =>
    new ProtocolRejection({
      code: 'idempotency_unavailable',
      text: 'The shop cannot remember this Idempotency-Key at the moment. Nothing was done: send the request again.',
    }),
};
