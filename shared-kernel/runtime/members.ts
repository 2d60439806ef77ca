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
  /** The customer with the account's e-mail address, once the two are linked. */
  readonly customerId: string | null;
  /** When a mailed link has shown that the address is theirs; null, or missing in an older account: not yet. */
  readonly provenAt?: string | null;
  /** The basket that is theirs, wherever they sign in. */
  readonly basketId: string | null;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/**
 * The customer that this member has proven to be, if the customer's record agrees: staff may have undone the link.
 * What a customer has counts for no one else (docs/rules/members.md#linked).
 */
export const provenCustomer = (
  { _id, customerId, provenAt = null }: Member,
  memberKeyOf: string | null | undefined,
): string | null => (provenAt !== null && memberKeyOf === _id ? customerId : null);

/**
 * Looks up the member of a token; null for an unknown one, and for a token from before the password was reset. Called
 * with every request that carries a token, so that a reset holds at once in every process. Errors:
 * `EngineUnavailable`.
 */
export type MemberFinder = (id: string, tokenVersion: number) => Promise<Member | null>;

export const createMemberFinder =
  (stateStore: DocumentStore): MemberFinder =>
  async (id, tokenVersion) => {
    const member = await stateStore.get<Member>(members, id);
    return member?.tokenVersion === tokenVersion ? member : null;
  };
