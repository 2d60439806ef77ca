import type { Actor } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { normalEmail } from '#values/email-address.ts';

export type Role = 'admin' | 'analyst' | 'auditor';

/** A backoffice user as named by a credential. */
export interface BackofficeCaller {
  readonly id: string;
  readonly role: Role;
  /** Tokens of any other version are invalid. Default 0. */
  readonly tokenVersion?: number;
}

export const backofficeUsers = 'backofficeUsers';

/** The id of the user with this e-mail address. */
export const backofficeUserId = (email: string): string => derivedId('backofficeUser', normalEmail(email));

/** The id is derived from the e-mail address, so that each address has one user. */
export interface BackofficeUser extends Document {
  /** Trimmed, in lower case. */
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  /** Grows with every change of role, password or permission, which ends earlier tokens. Missing: 0. */
  readonly tokenVersion?: number;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/**
 * Looks up the user of a token as they are now; null if unknown or disabled. Called for every request with a token, so
 * that changes apply at once in every process. Errors: `EngineUnavailable`.
 */
export const createUserFinder =
  (stateStore: Pick<DocumentStore, 'get'>): ((id: string) => Promise<BackofficeCaller | null>) =>
  async (id) => {
    const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
    if (!user || user.isDisabled) return null;
    return { id, role: user.role, tokenVersion: user.tokenVersion ?? 0 };
  };

/** The actor's id of what was asked with the API key. */
export const API_KEY_ACTOR = 'api-key';

/** A person at work on the machine of the shop, with its data or with the API key that is kept there. */
export const operator: Actor = { kind: 'operator', id: API_KEY_ACTOR };
/** By which the command line says who it is, beside the API key. */
export const OPERATOR_HEADER = 'tillroll-operator';

/** Whether someone whom the backoffice has let in is an admin now. Errors: `EngineUnavailable`. */
export const createAdminCheck = (stateStore: DocumentStore): ((actor: Actor) => Promise<boolean>) => {
  const findUser = createUserFinder(stateStore);
  return async ({ id }) => id === API_KEY_ACTOR || (id !== null && (await findUser(id))?.role === 'admin');
};
