import { randomBytes } from 'node:crypto';
import type { Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** A token that was mailed: who has it reads the mails of its member. */
interface LinkToken extends Document {
  /** Null: written for no account, so that its existence cannot be inferred. */
  readonly memberId: string | null;
  readonly expiresAt: number;
}

/** Tokens in mails, by which an e-mail address is proven (docs/rules/members.md#links). Errors: `EngineUnavailable`. */
export interface AccountLinks {
  /**
   * A new token, and an id that says nothing of it. `newEmail`: it proves that address, which is not the account's yet,
   * and nothing else.
   */
  issue(memberId: string | null, newEmail?: string): Promise<{ readonly token: string; readonly id: string }>;
  isValid(memberId: string, token: string, newEmail?: string): Promise<boolean>;
  /** True for the one caller who uses it first. */
  use(memberId: string, token: string): Promise<boolean>;
  /** None of the member's tokens is good any more. */
  voidAll(memberId: string): Promise<void>;
  sweep(): Promise<number>;
}

export interface AccountLinksOptions {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
  readonly keyedHash: (kind: string, value: string) => string;
}

const collection = 'memberLinks';
/** How long a link works. */
export const LINK_MINUTES = 60;
const REMOVED_TOGETHER = 1000;

/** Declares its collection; call it once at start. */
export const createAccountLinks = async (options: AccountLinksOptions): Promise<AccountLinks> => {
  const { stateStore, clock, keyedHash } = options;
  await stateStore.declare(collection, [{ fields: ['expiresAt'] }, { fields: ['memberId'] }]);
  // The state store holds no usable token.
  const idOf = (token: string, newEmail?: string): string =>
    newEmail === undefined
      ? keyedHash('member link', token)
      : keyedHash('new e-mail link', JSON.stringify([newEmail, token]));
  const removeAll = async (filter: Parameters<DocumentStore['deleteMany']>[1]): Promise<number> => {
    let removed = 0;
    for (let last = -1; last !== 0; removed += last)
      last = await stateStore.deleteMany(collection, filter, REMOVED_TOGETHER);
    return removed;
  };
  return {
    issue: async (memberId, newEmail) => {
      const token = randomBytes(32).toString('base64url');
      const id = idOf(token, newEmail);
      const link: LinkToken = { _id: id, memberId, expiresAt: clock.now() + LINK_MINUTES * 60_000 };
      await stateStore.insertIfAbsent(collection, link);
      return { token, id };
    },
    isValid: async (memberId, token, newEmail) => {
      const link = await stateStore.get<LinkToken>(collection, idOf(token, newEmail));
      return link?.memberId === memberId && link.expiresAt > clock.now();
    },
    use: async (memberId, token) => {
      const filter = { _id: idOf(token), memberId, expiresAt: { gt: clock.now() } };
      return (await stateStore.deleteMany(collection, filter, 1)) === 1;
    },
    voidAll: async (memberId) => void (await removeAll({ memberId })),
    sweep: () => removeAll({ expiresAt: { lte: clock.now() } }),
  };
};
