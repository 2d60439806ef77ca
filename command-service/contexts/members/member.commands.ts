import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { BasketView } from '#events/basket-view.ts';

/** What a sign-in hands out. */
export interface MemberToken {
  readonly token: string;
  /** ISO instant. */
  readonly expiresUtc: string;
}

/** Where somebody asks from. */
export interface AskedFrom {
  readonly ip: string;
}

/** Somebody who has come in, by an account of before or one that was made just now. */
export interface EnteredMember extends MemberToken {
  readonly memberId: string;
  /** Made just now. */
  readonly isNew: boolean;
}

/** The basket of somebody who has just signed in. */
export interface TakenBasket {
  readonly basketId: string | null;
  readonly basket: BasketView | null;
  readonly warnings: readonly string[];
  readonly position: number;
}

/** What neighbours ask of members. Errors, all of them: `EngineUnavailable`. */
export interface MembersForNeighbours {
  /**
   * Signs in, or makes an account where the e-mail address has none. Null: the password cannot be used, be it wrong,
   * too weak, or barred for now; it counts as a failed attempt. Errors: Rejection `too-busy`.
   */
  enter(
    account: { readonly email: string; readonly password: string; readonly name: string },
    from: AskedFrom,
  ): Promise<EnteredMember | null>;
  /** The basket of somebody who has just signed in, with that of their cookie in it; priced for them. */
  takeBasket(memberId: string, cookieBasketId: string | null, meta: CommandMeta): Promise<TakenBasket>;
  /** Of somebody who is signed in. */
  emailOf(memberId: string): Promise<string | null>;
  /** Links an account to a customer who is its own making (docs/rules/members.md#links). */
  link(memberId: string, customerId: string, meta: CommandMeta): Promise<void>;
  /** Mails a link that proves the e-mail address of an account to be its owner's. */
  askForProof(memberId: string, storeUrl: string | null): Promise<void>;
}
