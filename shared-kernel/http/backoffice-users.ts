import { LRUCache } from 'lru-cache';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { BackofficeCaller } from './identity.ts';
import type { Role } from './route.ts';

/** Where the backoffice's users are in the state store. */
export const backofficeUsers = 'backofficeUsers';

/** A user of the backoffice. The id is derived from the e-mail address, so that there is one for each. */
export interface BackofficeUser extends Document {
  /** Trimmed, in lower case. */
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly isDisabled: boolean;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/** How long somebody who was disabled elsewhere may still pass here. Real time. */
const knownForMilliseconds = 3000;

/** Looks up who a token names; null for nobody and for somebody who is disabled. Errors: `EngineUnavailable`. */
export const createUserFinder = (
  stateStore: DocumentStore,
): ((id: string) => Promise<BackofficeCaller | null>) => {
  const known = new LRUCache<string, { readonly caller: BackofficeCaller | null }>({
    max: 1000,
    ttl: knownForMilliseconds,
  });
  return async (id) => {
    const cached = known.get(id);
    if (cached) return cached.caller;
    const user = await stateStore.get<BackofficeUser>(backofficeUsers, id);
    const caller = user && !user.isDisabled ? { id, role: user.role } : null;
    known.set(id, { caller });
    return caller;
  };
};
