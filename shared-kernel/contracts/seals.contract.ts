import { z } from 'zod';

/** GET /audit/seals: before the seal with this number (exclusive), the newest first. */
export const sealQuery = z.object({
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

export const sealEntry = z.object({
  number: z.int().min(1),
  position: z.int().min(1),
  eventId: z.string(),
  count: z.int().min(1),
  digest: z.string(),
  previous: z.string(),
  sealedAt: z.string(),
  signature: z.string(),
});

/** `publicKey` is a PEM text, null until the first seal; `nextBefore` continues, null at the first seal. */
export const sealPage = z.object({
  publicKey: z.string().nullable(),
  seals: z.array(sealEntry),
  nextBefore: z.int().nullable(),
});
