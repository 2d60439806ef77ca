import { createHash } from 'node:crypto';

/**
 * Of what is kept in a store under an id, so that what a disk has altered is noticed before anything rests on it, and
 * what stands under another id, too.
 */
export const snapshotHash = (id: string, text: string): string =>
  createHash('sha256').update(id).update('\n').update(text).digest('base64url');
