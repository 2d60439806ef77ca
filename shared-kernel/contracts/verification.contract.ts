import { z } from 'zod';

const problem = z.object({
  check: z.string(),
  position: z.int().nullable(),
  stream: z.string().nullable(),
  revision: z.int().nullable(),
  found: z.string(),
  expected: z.string(),
});

/** What `tillroll audit verify` found: printed with `--json`, and kept by PUT /audit/verification. */
export const verificationReport = z.object({
  isSound: z.boolean(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  /** Up to where the log was read. */
  position: z.int(),
  events: z.int(),
  recordedUntil: z.string().nullable(),
  /** How much each check found. */
  checks: z.array(z.object({ name: z.string(), problems: z.int() })),
  seals: z.object({
    count: z.int(),
    /** Whether a copy of seals from elsewhere was compared. */
    isCompared: z.boolean(),
    /** The newest seal that the log fits; null: none covers it. */
    covering: z
      .object({ number: z.int(), position: z.int(), count: z.int(), sealedAt: z.string() })
      .nullable(),
    /** Events that came after it. */
    uncovered: z.int(),
  }),
  /** Null where they were not compared. */
  views: z.object({ count: z.int(), documents: z.int() }).nullable(),
  /** The first of them. */
  problems: z.array(problem).max(1000),
});
export type VerificationReport = z.output<typeof verificationReport>;

/** GET /audit/verification: null as long as nothing has been verified. */
export const lastVerification = z.object({ last: verificationReport.nullable() });
