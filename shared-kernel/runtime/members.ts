import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** Where the accounts of shoppers are in the state store (docs/rules/members.md#where). */
export const members = 'members';

/** The account of a shopper. */
export interface Member extends Document {
  /** Trimmed, in lower case; no two members have one. */
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** Goes on with each reset of the password: tokens from before end. */
  readonly tokenVersion: number;
  /** The customer whose e-mail address the member has proven to be theirs. */
  readonly customerId: string | null;
  /** The basket that is theirs, wherever they sign in. */
  readonly basketId: string | null;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/**
 * Looks up whom a token names; null for nobody, and for a token from before the password was reset. Asked with every
 * request that carries a token, so that a reset holds at once in every process. Errors: `EngineUnavailable`.
 */
export type MemberFinder = (id: string, tokenVersion: number) => Promise<Member | null>;

export const createMemberFinder =
  (stateStore: DocumentStore): MemberFinder =>
  async (id, tokenVersion) => {
    const member = await stateStore.get<Member>(members, id);
    return member?.tokenVersion === tokenVersion ? member : null;
  };
