import type { Actor } from '#kernel/event.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { backofficeUsers, type BackofficeUser } from '#runtime/backoffice-users.ts';

export interface Staff {
  readonly id: string;
  readonly name: string;
}

const API_KEY = 'api-key';

/** Names the caller: a user by e-mail address, an API key and the system by a label. Errors: `EngineUnavailable`. */
export const staffOf = async (
  stateStore: Pick<DocumentStore, 'get'>,
  { kind, id: given }: Actor,
): Promise<Staff> => {
  const id = given ?? kind;
  if (kind !== 'backoffice' && kind !== 'operator') return { id, name: 'System' };
  if (id === API_KEY) return { id, name: 'API key' };
  return { id, name: (await stateStore.get<BackofficeUser>(backofficeUsers, id))?.email ?? id };
};
