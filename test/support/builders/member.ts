import { newId } from '#kernel/ids.ts';
import type { Member } from '#runtime/members.ts';

/** A member; whatever a test leaves out is valid. */
export const memberWith = (changes: Partial<Member> = {}): Member => ({
  _id: newId(),
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  passwordHash: '',
  tokenVersion: 0,
  customerId: null,
  basketId: null,
  dateCreated: '2026-01-01T00:00:00.000Z',
  dateUpdated: '2026-01-01T00:00:00.000Z',
  ...changes,
});
