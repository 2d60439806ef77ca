import { z } from 'zod';

const position = z.coerce.number().int().min(0);

/** GET /audit/events: a page of the log, or of one stream, after a position (exclusive). */
export const auditQuery = z.object({
  stream: z.string().max(250).optional(),
  type: z.string().max(250).optional(),
  after: position.default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export type AuditQuery = z.output<typeof auditQuery>;

const auditEvent = z.object({
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

/**
 * `nextAfter` continues, also where large events fill an answer before the limit does; null at the end of what there is
 * now.
 */
export const auditPage = z.object({ events: z.array(auditEvent), nextAfter: z.int().nullable() });
