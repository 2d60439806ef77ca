import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

export type Role = 'admin' | 'analyst' | 'auditor';

/** A backoffice user, as a credential says. */
export interface BackofficeCaller {
  readonly id: string;
  readonly role: Role;
  /** Tokens of another version are no longer, or not yet, theirs. Default 0. */
  readonly tokenVersion?: number;
}

/** Where the backoffice's users are in the state store. */
export const backofficeUsers = 'backofficeUsers';

/** A user of the backoffice. The id is derived from the e-mail address, so that there is one for each. */
export interface BackofficeUser extends Document {
  /** Trimmed, in lower case. */
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  /** Goes on with every change of role, password or permission: tokens from before end. Missing: 0. */
  readonly tokenVersion?: number;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/**
 * Looks up the user of a token as they are now; null for an unknown or disabled one. Called with every request that
 * carries a token, so that changes hold at once in every process. Errors: `EngineUnavailable`.
 */
export const createUserFinder =
  (stateStore: DocumentStore): ((id: string) => Promise<BackofficeCaller | null>) =>
  async (id) => {
    const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
    if (!user || user.isDisabled) return null;
    return { id, role: user.role, tokenVersion: user.tokenVersion ?? 0 };
  };
