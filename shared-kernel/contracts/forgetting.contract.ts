import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';

/** docs/rules/forgetting.md */

/** Of a customer; without a body nothing is forced. */
export const forgetBody = z.object({ force: z.boolean().default(false) }).default({ force: false });

/** What can still be read after that, and until when. */
const remaining = z.object({
  what: z.enum([
    'backups',
    'storedAnswers',
    'knownKeys',
    'largeFiles',
    'mailsToOthers',
    'formerRows',
    'formerEvents',
    'sentOut',
  ]),
  description: z.string(),
  /** Null: as long as it is kept. */
  untilUtc: z.iso.datetime().nullable(),
});

export const forgotten = z.object({
  success: z.literal(true),
  id: guid,
  /** `InProgress`: it goes on by itself, also after a restart. */
  status: z.enum(['Forgotten', 'InProgress']),
  forgottenAtUtc: z.iso.datetime().nullable(),
  message: z.string(),
  remains: z.array(remaining),
});
export type Forgotten = z.output<typeof forgotten>;
