import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import type { ProviderTax } from '#command/pricing/provider-tax.ts';
import type { QuotedOption } from '#command/pricing/quote-shipping.ts';
import type { ShippingPlan } from '#command/pricing/shipping-plan.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import type { InvoiceContent, PaymentPages } from '#events/invoice.fields.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import type { Address, Destination } from '#values/address.ts';
import type { DisplayCurrency } from '#values/exchange.ts';
import type { Minor } from '#values/money.ts';
import type { BasketState, BasketStreamEvent } from '../basket/basket.state.ts';
import type { LargeHolds } from './placement/large-hold.ts';
import type { CustomerAccount } from '../customers/customer.commands.ts';
import type { PlaceOfOrder } from '../invoices/invoice.commands.ts';

export interface ChangeAddresses {
  readonly type: 'ChangeAddresses';
  /** Null without an e-mail address. */
  readonly customerId: string | null;
  readonly email: string | null;
  readonly billingAddress: Address;
  readonly shippingAddress: Address;
  readonly shippingSameAsBilling: boolean;
  readonly acceptsMarketing: boolean;
  /** An agent's buyer has not visited the shop: no checkout is theirs to abandon. */
  readonly isThroughAgent?: true;
}

/** A shopper goes on in the basket that an agent has filled. */
export interface HandOver {
  readonly type: 'HandOver';
  /** Of the agent's checkout; null: the agent has none, only a cart. */
  readonly sessionId: string | null;
  readonly agent: string;
  readonly agentName: string | null;
}

/** A text that may be left out. */
export type Text = string | null | undefined;

/** An address as given: everything is optional, so that all problems can be reported at once. */
export interface GivenAddress {
  readonly name?: Text;
  readonly firstName?: Text;
  readonly lastName?: Text;
  readonly company?: Text;
  readonly addressOne?: Text;
  readonly addressTwo?: Text;
  readonly townCity?: Text;
  readonly countyState?: Text;
  readonly regionCode?: Text;
  readonly postalCode?: Text;
  readonly countryCode?: Text;
  readonly phone?: Text;
}

/** What has been typed of an address; what is missing says nothing. */
export type AddressParts = Partial<Omit<Address, 'email'>>;

export interface CaptureEmail {
  readonly type: 'CaptureEmail';
  readonly email: string;
  /** Of the e-mail address; null: it is known already. */
  readonly customerId: string | null;
}

/** What has been typed before it is sent; nulls say nothing. */
export interface CaptureAddress {
  readonly type: 'CaptureAddress';
  readonly email: string | null;
  readonly customerId: string | null;
  readonly billing: AddressParts | null;
  readonly shipping: AddressParts | null;
  readonly shippingSameAsBilling: boolean | null;
  readonly acceptsMarketing: boolean | null;
}

/** The choices for the shipping groups, checked and quoted by the server. */
export interface SelectShipping {
  readonly type: 'SelectShipping';
  /** Where the basket goes from now on; null: where it goes already. An address keeps its other fields. */
  readonly destination: Destination | null;
  readonly choices: readonly ShippingChoice[];
  /** What they were quoted for: while it is still so, they are taken as they are. */
  readonly quotedOn: Pick<BasketView, 'lines' | 'destination'>;
}

export interface ApplyDiscountCode {
  readonly type: 'ApplyDiscountCode';
  readonly discountId: string;
  readonly code: string;
  readonly name: string;
  /** The customer of the basket has used it as often as one may: advice, until its use is claimed. */
  readonly isUsedUpByCustomer: boolean;
}

/** Puts in force what is known of the tax that a provider is to say. */
export interface ApplyTax {
  readonly type: 'ApplyTax';
  readonly tax: ProviderTax;
}

/** Where an order is asked for, as a keyed hash, and how many unpaid invoices may stand there. */
interface OpenInvoicesLimit extends PlaceOfOrder {
  readonly limit: number;
}

/** Begins to make an order of the basket: until it ends the basket does not change. */
export interface StartPlacement {
  readonly type: 'StartPlacement';
  readonly placementId: string;
  readonly invoiceId: string;
  readonly basketId: string;
  readonly invoiceNumbersRevision: number;
  readonly hasAcceptedTerms: boolean;
  /** The currency that the shopper has chosen to see, as their cookie says it. */
  readonly wantedCurrency: string | undefined;
  /** At which rate they were last shown the basket; null where that was in the store's currency, or is not known. */
  readonly shown: DisplayCurrency | null;
  /** Null: no limit. */
  readonly openInvoices: OpenInvoicesLimit | null;
  /** From here on a hold at that address is a large one; null: it never is. */
  readonly largeHolds: LargeHolds | null;
  /** Of the customer who is signed in; missing where they have no account terms. */
  readonly account?: CustomerAccount;
  /** It is to be sold on account (docs/rules/purchase-orders.md). */
  readonly isOnAccount?: boolean;
  /** The tax provider's result for this order; missing where none is asked. */
  readonly tax?: ProviderTax;
  /** The last invoice, where staff have edited it: it does not say any more what the basket does. */
  readonly editedInvoiceId?: string;
  /** Where its payer goes on at the end; left out: the shop's own pages. */
  readonly pages?: PaymentPages;
  /** The caller sells to people of whom only the country is known (docs/rules/orders.md#without-a-customer). */
  readonly mayStayUnknown?: boolean;
  /** Where it is sold; left out: in the online store. */
  readonly source?: InvoiceContent['source'];
  /** What the basket was shown by upsell rules. */
  readonly shownUpsells?: ShownUpsell[];
}

/** Another driver takes over a placement that stands still. */
export interface ResumePlacement {
  readonly type: 'ResumePlacement';
  readonly placementId: string;
}

export interface CompletePlacement {
  readonly type: 'CompletePlacement';
  readonly placementId: string;
  readonly turn: number;
  readonly invoiceId: string;
  readonly invoiceNumber: string;
}

export interface FailPlacement {
  readonly type: 'FailPlacement';
  readonly placementId: string;
  readonly turn: number;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly keepsHolds: boolean;
}

/** Everything that was held for an invoice that expired has been given back. */
export interface ExpireOrder {
  readonly type: 'ExpireOrder';
  readonly placementId: string;
  readonly invoiceId: string;
}

/** Closes the basket for good: what it held is sold. */
export interface CompleteBasket {
  readonly type: 'CompleteBasket';
  readonly invoiceId: string;
  readonly invoiceNumber: string;
}

/** Takes off what the basket's customer has used as often as the rules allow. */
export interface DropUsedUpDiscounts {
  readonly type: 'DropUsedUpDiscounts';
  readonly discountIds: readonly string[];
}

/** What ends a placement or a basket, whatever its prices are by now. */
/** Closes a basket whose key is destroyed. */
export interface ForgetBasket {
  readonly type: 'ForgetBasket';
  /** ISO instant. */
  readonly at: string;
}

export type BasketEndCommand =
  | ResumePlacement
  | CompletePlacement
  | ExpireOrder
  | CompleteBasket
  | ForgetBasket;

export type CheckoutCommand =
  | ChangeAddresses
  | HandOver
  | CaptureEmail
  | CaptureAddress
  | SelectShipping
  | ApplyDiscountCode
  | ApplyTax
  | DropUsedUpDiscounts
  | StartPlacement
  | FailPlacement;

/** Who asks for an order: whether they accept the terms, what they were shown, and their address. */
export interface Buyer extends Pick<
  StartPlacement,
  'hasAcceptedTerms' | 'wantedCurrency' | 'shown' | 'isOnAccount' | 'pages' | 'mayStayUnknown' | 'source'
> {
  readonly ip: string;
  /** The agent who has proven to ask for its buyer; its unpaid orders are counted together, wherever it asks from. */
  readonly agent?: string;
  /** The member for whom an agent asks; left out: the one who is signed in. */
  readonly memberId?: string;
}

/** An invoice that can be paid, as checkout placed it. */
export interface PlacedInvoice {
  readonly invoiceId: string;
  /** Made just now, and by this process. */
  readonly isNew: boolean;
  readonly position: number;
}

/** Why an order is refused. */
export interface OrderRefusal {
  readonly code: string;
  readonly message: string;
  readonly details: object;
}

/** Checkout refuses an order. The basket goes along as it is now: a code may have fallen away. */
export class OrderRefused extends Rejection {
  readonly refused: { readonly basketId: string; readonly basket: BasketView | null };

  constructor(why: OrderRefusal, refused: OrderRefused['refused'], position: number) {
    super(why.code, why.message, { ...why.details }, position);
    this.refused = refused;
  }
}

/** An address as a wallet gives it; what is missing is told of together. */
export interface ExpressAddress {
  readonly name?: string | null;
  readonly addressOne?: string | null;
  readonly addressTwo?: string | null;
  readonly townCity?: string | null;
  readonly countyState?: string | null;
  readonly regionCode?: string | null;
  readonly postalCode?: string | null;
  readonly countryCode?: string | null;
  readonly phone?: string | null;
}

/** What a wallet says of its owner. */
export interface ExpressCustomer {
  readonly email: string | null;
  readonly shippingAddress: ExpressAddress | null;
  readonly billingAddress: ExpressAddress | null;
}

/** A basket as a wallet shows it. */
export interface ExpressBasket {
  readonly basketId: string;
  readonly basket: BasketView;
}

/** A basket to which its shopper comes back. */
export interface RestorableBasket {
  readonly basket: BasketView;
  /** Whose it is; null: a guest's. */
  readonly memberId: string | null;
  /** What of it cannot be had as it is. */
  readonly unavailable: readonly {
    readonly lineItemId: string;
    readonly sku: string;
    readonly name: string;
    readonly reason: 'destination' | 'stock' | 'withdrawn';
    readonly message: string;
  }[];
}

/** A buyer as an agent tells of one: all but the country of the addresses may be missing. */
export interface AgentBuyer {
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly billingAddress: Address;
  readonly shippingAddress: Address;
  readonly acceptsMarketing: boolean;
}

/** The chosen option of each shipping group, and the dates for those that can be had on one. */
export interface ShippingSelection {
  /** Groups that are not named are chosen for later. */
  readonly isPartial?: boolean;
  readonly selections?: Readonly<Record<string, string>> | null | undefined;
  readonly deliveryDates?: Readonly<Record<string, string>> | null | undefined;
}

/** Every way to ship a basket as it is. */
export interface ShippingQuotes {
  readonly basket: BasketView;
  readonly plan: ShippingPlan;
  /** Carriers have said what it costs: they may say something else next time. */
  readonly asksCarriers: boolean;
  /** What discounts take off the shipping where these options are chosen, one for each group, and their names. */
  readonly offBy: (options: readonly Pick<QuotedOption, 'optionKey' | 'cost'>[]) => {
    readonly amount: Minor;
    readonly names: readonly string[];
  };
}

export interface CheckoutApi {
  /** Carriers are asked where there are any. Records nothing. Errors: `basket-not-found`. */
  shippingQuotes(basketId: string): Promise<ShippingQuotes>;
  /**
   * Chooses for every group, unless it says otherwise, at the server's own quote; `changed` null: something cannot be
   * shipped. Errors:
   * `basket-not-found`, `order-being-placed`, `shipping-incomplete`.
   */
  selectShipping(
    basketId: string,
    given: ShippingSelection,
    meta: CommandMeta,
  ): Promise<{ readonly changed: unknown }>;
  /** Takes back what was chosen. Errors: `basket-not-found`, `order-being-placed`. */
  deselectShipping(basketId: string, meta: CommandMeta): Promise<void>;
  /**
   * Records a buyer as an agent tells of one; without an e-mail address no customer is made known. `ip`: where the
   * agent asks from; null: new customers from there are not limited. Errors: `basket-not-found`, `order-being-placed`,
   * the refusal of one more customer.
   */
  nameBuyer(
    basketId: string,
    buyer: AgentBuyer,
    ip: string | null,
    meta: CommandMeta,
  ): Promise<
    Pick<Executed<BasketState, BasketStreamEvent>, 'events' | 'position'> & { readonly basket: BasketView }
  >;
  /** The basket as its shopper would find it; null where there is none to go back to. Records nothing. */
  restorable(basketId: string): Promise<RestorableBasket | null>;
  /** Whether an order of the customer is being placed, as far as this process has read the log. */
  isPlacingFor(customerId: string): Promise<boolean>;
  /** What `checkedAddress` would refuse, each under its field. */
  addressProblems(given: GivenAddress): Readonly<Record<string, string>>;
  /** An address as the shop keeps it. Errors: Rejection `invalid-address` with a problem for each field. */
  checkedAddress(given: GivenAddress): Address;
  /** The basket, after a change that may have put discounts on it, without those that its customer has used up. */
  withoutUsedUp<Done extends Executed<BasketState, BasketStreamEvent>>(
    basketId: string,
    done: Done,
    meta: CommandMeta,
  ): Promise<Done>;
  /**
   * The basket with the shipping that was chosen, or the cheapest. Errors: `basket-not-found`, `cannot-ship`.
   */
  expressBasket(basketId: string | null): Promise<ExpressBasket>;
  /**
   * Takes over what a wallet says of its owner, and chooses the cheapest shipping where nothing was chosen. Nothing is
   * recorded where something cannot be sent there. Errors: `basket-not-found`, `cannot-ship`, `invalid-address`.
   */
  prepareExpress(
    basketId: string | null,
    customer: ExpressCustomer,
    from: { readonly ip: string; readonly storeUrl: string | null },
    meta: CommandMeta,
  ): Promise<{ readonly basketId: string }>;
  /**
   * The invoice of a visitor's basket, if there is one: the one that still says what the basket holds, else a new one.
   * Errors: `OrderRefused` and the other rejections of checkout.
   */
  placeOrder(basketId: string | null, buyer: Buyer, meta: CommandMeta): Promise<PlacedInvoice>;
}
