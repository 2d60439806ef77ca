import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** The collection of shoppers' accounts in the state store (docs/rules/members.md#where). */
export const members = 'members';

/** A change of an account's e-mail address that is under way. */
export interface EmailChange {
  /** The address before. */
  readonly from: string;
  /** Of the mail that tells the address before. */
  readonly mailId: string;
  /** The shop's time in milliseconds. */
  readonly begunAt: number;
}

export interface Member extends Document {
  /** Trimmed, in lower case; unique. */
  readonly email: string;
  /** Until everything that follows from a new address is done. */
  readonly emailChange?: EmailChange;
  readonly name: string;
  readonly phone?: string | null;
  /** Counts until the member is linked to a customer: then it is the customer's. */
  readonly acceptsMarketing?: boolean;
  readonly passwordHash: string;
  /** Grows with each password reset, which ends earlier tokens. */
  readonly tokenVersion: number;
  /** The customer with the account's e-mail address, once linked. */
  readonly customerId: string | null;
  /** When a mailed link proved that the address is theirs; null, or missing in an older account: not yet. */
  readonly provenAt?: string | null;
  /** Their basket, wherever they sign in. */
  readonly basketId: string | null;
  readonly dateCreated: string;
  readonly dateUpdated: string;
}

/**
 * The customer that this member has proven to be, if the customer's record agrees: staff may have undone the link.
 * Nobody else gets what the customer has (docs/rules/members.md#linked).
 */
export const provenCustomer = (
  { _id, customerId, provenAt = null }: Member,
  memberKeyOf: string | null | undefined,
): string | null => (provenAt !== null && memberKeyOf === _id ? customerId : null);

/** Whose purchases a member sees: their own, and those of the customer who they have proven to be. */
export interface Owner {
  readonly memberId: string;
  readonly customerId: string | null;
}

/** Null: there is no such member. Errors: `EngineUnavailable`. */
export const ownerOf = async (
  stateStore: Pick<DocumentStore, 'get'>,
  customer: (id: string) => Promise<{ readonly fields: { readonly memberKey: string | null } } | null>,
  memberId: string | null,
): Promise<Owner | null> => {
  const member = memberId === null ? null : await stateStore.get<Member>(members, memberId);
  if (!member) return null;
  const record = member.customerId === null ? null : await customer(member.customerId);
  return { memberId: member._id, customerId: provenCustomer(member, record?.fields.memberKey) };
};

/**
 * Looks up the member of a token; null if unknown, or if the token is older than the last password reset. Called for
 * every request with a token, so that a reset applies at once in every process. Errors: `EngineUnavailable`.
 */
export type MemberFinder = (id: string, tokenVersion: number) => Promise<Member | null>;

export const createMemberFinder =
  (stateStore: DocumentStore): MemberFinder =>
  async (id, tokenVersion) => {
    const member = await stateStore.get<Member>(members, id);
    return member?.tokenVersion === tokenVersion ? member : null;
  };
