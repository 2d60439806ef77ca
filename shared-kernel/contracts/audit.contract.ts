import { z } from 'zod';
import { asOf } from './as-of.contract.ts';

const position = z.coerce.number('must be a position of the log').int().min(0);
const text = z.string().trim().min(1).max(250).optional();

const filterFields = {
  stream: text,
  category: text,
  type: text,
  actor: text,
  correlationId: text,
  subject: text,
};

/** GET /audit/events (docs/rules/audit.md#search). */
export const auditQuery = z.object({
  ...filterFields,
  /** Recorded from then on, and up to then; of days the first and the last instant. */
  from: asOf,
  to: asOf,
  /** Goes on behind this one, in its direction. */
  position: position.optional(),
  direction: z.enum(['forwards', 'backwards'], 'must be forwards or backwards').default('forwards'),
  /** Of JSON at most 100, unless it says otherwise; of NDJSON all. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
});
export type AuditQuery = z.output<typeof auditQuery>;

/** GET /audit/events/live (docs/rules/audit.md#live). */
export const liveQuery = z.object({ ...filterFields, position: position.optional() });
/** `Last-Event-ID`: the position of the last event, or sign of life, that came. */
export const lastEventId = position;
/** Server-sent events. */
export const liveResponse = z.string();

export const auditEvent = z.object({
  id: z.string(),
  type: z.string(),
  schemaVersion: z.int(),
  stream: z.string(),
  revision: z.int(),
  position: z.int(),
  recordedAt: z.string(),
  /** Encrypted fields read "(personal)" or "(secret)". */
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});

const lookedAt = z.object({ position: z.int(), recordedAt: z.string().nullable() }).nullable();

/** What was looked through, whatever was found in it. */
const looked = {
  /** In force: what was asked for, or what a search without a stream takes. Null: without an end. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The first and the last event that was looked at, in the direction of the search; null where there was none. */
  lookedFrom: lookedAt,
  lookedUpTo: lookedAt,
  /** The position that goes on, with the same `from` and `to`; null once all of the range was looked through. */
  next: z.int().nullable(),
};

export const auditPage = z.object({ events: z.array(auditEvent), ...looked });

export const correlationParams = z.object({ id: z.string().min(1).max(64) });

/** GET /audit/correlations/{id}: the range is found by the id where that carries its time. */
export const correlationQuery = auditQuery.pick({ from: true, to: true, position: true });

/** An event of a request, and below it what it led to, of the same shape. */
const causedEvent = z.object({
  id: z.string(),
  type: z.string(),
  stream: z.string(),
  revision: z.int(),
  position: z.int(),
  recordedAt: z.string(),
  actor: z.object({ kind: z.string(), id: z.string().nullable() }),
  /** An event, the request itself, or the name of a job. */
  causedBy: z.string(),
  caused: z.array(z.record(z.string(), z.unknown())),
});

export const correlationResponse = z.object({
  correlationId: z.string(),
  /** Null where the id does not carry its time. */
  requestedAt: z.string().nullable(),
  eventCount: z.int(),
  streams: z.array(
    z.object({ stream: z.string(), eventCount: z.int(), firstAt: z.string(), lastAt: z.string() }),
  ),
  /** What the request led to at once, and what is caused by something that is not shown here. */
  caused: z.array(causedEvent),
  ...looked,
});
