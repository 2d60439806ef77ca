import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { BasketState, BasketStreamEvent } from '../basket/basket.state.ts';
import type { Member } from '#runtime/members.ts';
import type { DefaultAddresses } from './addresses/address-book.state.ts';

/** A password reset was requested: by the member of the given address, if there is one. */
export interface RecordPasswordReset {
  readonly type: 'RecordPasswordReset';
  readonly memberId: string | null;
  readonly customerId: string | null;
}

/** What a sign-in hands out. */
export interface MemberToken {
  readonly token: string;
  /** ISO instant. */
  readonly expiresUtc: string;
}

/** Where a request comes from. */
export interface RequestOrigin {
  readonly ip: string;
}

/** A shopper who has signed in, with an existing account or a new one. */
export interface EnteredMember extends MemberToken {
  readonly memberId: string;
  /** Made just now. */
  readonly isNew: boolean;
}

/** The basket of a member who has just signed in. */
export interface TakenBasket {
  readonly basketId: string | null;
  readonly basket: BasketView | null;
  readonly warnings: readonly string[];
  readonly position: number;
}

/** A basket that was told who asks, and what it was before. */
export interface SettledBasket extends Executed<BasketState, BasketStreamEvent> {
  readonly before: BasketView;
}

/** How a sign-in ended; `message` is for people. */
export type SignedIn =
  | { readonly kind: 'signedIn'; readonly member: Member; readonly issued: MemberToken }
  | { readonly kind: 'refused'; readonly failedAttempts: number; readonly message: string };

/** What other contexts may call. Errors, all of them: `EngineUnavailable`. */
export interface MembersApi {
  /**
   * Signs in, or makes an account where the e-mail address has none. Null: the password cannot be used, be it wrong,
   * too weak, or barred for now; it counts as a failed attempt. Errors: Rejection `too-busy`.
   */
  enter(
    account: { readonly email: string; readonly password: string; readonly name: string },
    from: RequestOrigin,
  ): Promise<EnteredMember | null>;
  /** To an existing account, limited like every other guess at a password. Errors: Rejection `too-busy`. */
  signIn(
    credentials: { readonly email: string; readonly password: string },
    from: RequestOrigin,
  ): Promise<SignedIn>;
  /** The basket of a member who has just signed in, merged with that of their cookie and priced for them. */
  takeBasket(memberId: string, cookieBasketId: string | null, meta: CommandMeta): Promise<TakenBasket>;
  /**
   * Tells a basket who asks for it, where it knows it otherwise: the member behind the request, the segments of their
   * customer as they are now. Null where there is nothing to tell, which costs a guest nothing. Errors: Rejection
   * `basket-not-found`, it is another member's by now.
   */
  settle(basketId: string | null, meta: CommandMeta): Promise<SettledBasket | null>;
  /**
   * The same of a basket in which an agent buys for a member, who keeps the basket that they have; not of one that a
   * shopper has taken over. Errors: as above.
   */
  identifyBuyer(basketId: string, memberId: string, meta: CommandMeta): Promise<SettledBasket | null>;
  /** Of the signed-in member. */
  emailOf(memberId: string): Promise<string | null>;
  /** Grows with each password: what was allowed under an earlier one is allowed no more. Null: no such account. */
  versionOf(memberId: string): Promise<number | null>;
  /** The addresses that a checkout of the member takes where it is given none. */
  defaultAddresses(memberId: string): Promise<DefaultAddresses>;
  /** The customer who the member has proven to be (docs/rules/members.md#linked); null for none. */
  customerOf(memberId: string): Promise<string | null>;
  /**
   * Links an account to the customer of its e-mail address, where that is the basket's own making. A new account is
   * mailed a link that proves the address (docs/rules/members.md#linked).
   */
  link(
    memberId: string,
    customer: { readonly customerId: string; readonly basketId: string; readonly isNew: boolean },
    storeUrl: string | null,
    meta: CommandMeta,
  ): Promise<void>;
  /** Deletes the account of a customer who is gone, and its links; one that is another customer's stays. */
  remove(memberId: string, customerId: string, meta: CommandMeta): Promise<void>;
  /** Likewise the account of an e-mail address, whether or not it was ever proven to be the customer's. */
  removeByEmail(email: string, customerId: string, meta: CommandMeta): Promise<void>;
}
