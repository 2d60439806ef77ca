import type { MailConfiguration } from '#mails/mail-configuration.ts';
import type { MailTopicKey } from '#mails/mail-topics.ts';
import type { EntityType } from '#entities/define-entity.ts';
import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import type { ShippingProvider } from '#entities/shipping-provider.entity.ts';
import type { Warehouse } from '#entities/warehouse.entity.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { ProvidersState } from '#entities/define-providers.ts';
import type { RatesView } from '#entities/exchange-rate.providers.ts';
import type { PaymentProvidersView } from '#entities/payment.providers.ts';
import type { DiscountRule } from '#entities/discount.entity.ts';
import type { UpsellRule } from '#entities/upsell-rule.entity.ts';
import type { Destination } from '#values/address.ts';
import type { DatedStatus } from '#values/dated-status.ts';
import type { LineTraits } from '#values/discount-targets.ts';
import type { PublishedKey, SigningKey } from '#values/signing-key.ts';
import type { GivenSettings, StoreSettings } from '#values/store-settings.ts';
import type { CheckoutMode, DisplayLocation, RecommendationType, UpsellSort } from '#values/upsells.ts';
import type { StockLevel } from '#values/stock-units.ts';
import type { RankedProducts } from './ranked-products.ts';

/** Of a root, what it is sold by; the texts of its page are in the read model. */
export type SoldRoot = Omit<ProductRoot, 'description' | 'metaDescription' | 'pageTitle' | 'extendedData'> & {
  /** The words of its description, each once, with blanks between: what it is found by. */
  readonly descriptionWords?: string;
  /** Tells whether a read model has this description yet. */
  readonly descriptionHash?: number;
};

/** A variant with what it shares with its siblings. */
export interface SellableVariant {
  readonly rootId: string;
  readonly root: SoldRoot;
  readonly variant: ProductVariant;
}

export interface SoldProduct {
  readonly id: string;
  readonly root: SoldRoot;
  readonly variants: readonly ProductVariant[];
  /** Position of the event that created it. */
  readonly since: number;
}

export type ProductListener = (before: SoldProduct | undefined, now: SoldProduct | undefined) => void;

export interface CatalogueReference {
  variant(productId: string): SellableVariant | undefined;
  variantBySku(sku: string): SellableVariant | undefined;
  product(rootId: string): SoldProduct | undefined;
  /** The product that has this address (`rootUrl`). */
  productAt(rootUrl: string): SoldProduct | undefined;
  /** Every product. Concurrent changes may or may not be seen. */
  products(): Iterable<SoldProduct>;
  /** Root ids of the products that name this resource: what stands in the way of its deletion. */
  productsThatUse(category: string, id: string): readonly string[];
  /** Told of every change from here on: what a product was, and what it is now. */
  watch(listener: ProductListener): void;
}

/** Advice: how much there was a moment ago. The guarantee comes from the stock's own stream. */
export interface StockReference {
  level(productId: string, warehouseId: string): StockLevel | undefined;
  /** In all warehouses: another array as soon as one of them changes. */
  levels(productId: string): readonly StockLevel[] | undefined;
  /** Told of each variant whose stock changes from here on. */
  watch(listener: (productId: string) => void): void;
}

export interface ReferenceDiscount {
  readonly id: string;
  readonly rule: DiscountRule;
  readonly status: DatedStatus;
  /** ISO instant. */
  readonly createdAt: string;
  /** Uses claimed so far: advice. */
  readonly uses: number;
  /** Confirmed sales with it. */
  readonly sold?: number;
}

export interface DiscountReference {
  /** How often any of them has changed, or how often it was used: the same number, the same rules. */
  changes(): number;
  byCode(code: string): ReferenceDiscount | undefined;
  byId(id: string): ReferenceDiscount | undefined;
  /** The automatic rules in force that may take something off such a basket, by priority. */
  candidates(basket: BasketTraits, now: number): readonly ReferenceDiscount[];
  /** Whether any automatic rule names warehouses or their owners: the traits of lines need not say them else. */
  askForPlaces(): boolean;
  /** Rules whose dates ask for another status by now, in no order. */
  changing(now: number): readonly string[];
}

/** Who buys: a customer who is signed in, and the segments of that customer. */
export interface BuyerTraits {
  readonly customerId: string | null;
  readonly segmentIds: readonly string[];
}

/** What an automatic rule may ask of a basket. */
export interface BasketTraits {
  readonly lines: Iterable<LineTraits>;
  readonly buyer: BuyerTraits;
}

export interface ReferenceUpsell {
  readonly id: string;
  readonly rule: UpsellRule;
  readonly status: DatedStatus;
}

/** Which upsell rules are asked for. */
export interface UpsellQuery {
  /** A place of the shop; or what is put into baskets without anybody asking for it. */
  readonly location: DisplayLocation | 'AutoAdd';
  /** Rules of this mode and no other. */
  readonly mode?: CheckoutMode | undefined;
  readonly now: number;
  /** What triggers may name of the basket. */
  readonly keys: () => Iterable<string>;
}

export interface UpsellReference {
  byId(id: string): ReferenceUpsell | undefined;
  /** Whether there are any rules. */
  any(): boolean;
  /** The rules in force there that such a basket may trigger, by priority. */
  candidates(asked: UpsellQuery): readonly ReferenceUpsell[];
  /** Whether any rule that is switched on puts its products into baskets by itself. */
  addsByItself(): boolean;
  /** Whether any rule that is switched on is for some customers only. */
  asksWhoBuys(): boolean;
  /** Whether any rule that is switched on offers something after a purchase. */
  offersAfterwards(): boolean;
  /** Rules whose dates ask for another status by now, in no order. */
  changing(now: number): readonly string[];
}

/** Units sold so far: advice. */
export interface UnitsSoldReference {
  of(rootId: string): number;
  /** Told of a product each time that more of it is sold. */
  watch(listener: (rootId: string) => void): void;
}

/** The products that shoppers can buy, in the orders in which rules recommend them. */
export interface RecommendedProducts {
  /** Under each of these ids, those that it names: in the order of `sort`, at random by name. */
  ranked(type: RecommendationType, ids: readonly string[], sort: UpsellSort): readonly RankedProducts[];
}

/** Resources by the category of their kind and their id. */
export interface EntityReference {
  has(category: string, id: string): boolean;
  find(category: string, id: string): Readonly<Record<string, unknown>> | undefined;
  /** All of a kind, by id. */
  all(category: string): ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The one of a kind of which this is true. */
  owner(
    kind: Pick<EntityType, 'category' | 'called'>,
    has: (fields: Readonly<Record<string, unknown>>) => boolean,
  ): { readonly id: string; readonly name: string } | undefined;
  /** The resources that name this one, in words. */
  users(category: string, id: string): readonly string[];
}

export interface ReferenceShippingOption extends ShippingOption {
  readonly id: string;
}

export interface ReferenceWarehouse extends Warehouse {
  readonly id: string;
}

/** A carrier that is asked what sending from a warehouse costs, with what both say about it. */
export type ReferenceCarrier = Pick<ShippingProvider, 'providerKey' | 'configuration'> &
  Warehouse['providerConfigs'][number];

export interface ShippingReference {
  warehouse(id: string): ReferenceWarehouse | undefined;
  warehouses(): readonly ReferenceWarehouse[];
  option(id: string): ReferenceShippingOption | undefined;
  optionsOf(warehouseId: string): readonly ReferenceShippingOption[];
  /** Those that are on, in the shop and there, in the order of the shop. */
  carriersOf(warehouseId: string): readonly ReferenceCarrier[];
  isCarrierOn(providerKey: string): boolean;
}

export interface TaxReference {
  /** Percent for a destination: region rate, else country rate, else the group's own; 0 without a group. */
  rate(taxGroupId: string | null, destination: Destination): number;
  /**
   * What the shop says of the tax on shipping to this region, else to this country; undefined where it says nothing.
   * The group is null where shipping is not taxed there.
   */
  shippingOverride(destination: Destination): { readonly shippingTaxGroupId: string | null } | undefined;
  group(id: string): { readonly name: string } | undefined;
}

/** What the backoffice has said of a kind of provider. */
export interface ProviderReference<State = ProvidersState> {
  current(): State;
}

export interface SettingsReference {
  current(): StoreSettings;
  /** Those that the log says something of. */
  stored(): GivenSettings;
  /** Null until the log's first event has fixed it. */
  storeCurrency(): string | null;
  /** Whether a store file has been imported whole. */
  isStoreImported(): boolean;
}

/** Mails as they are set up now. */
export interface MailReference {
  /** Those that are shipped first, then in the order of their making. */
  configurations(): readonly MailConfiguration[];
  configuration(id: string): MailConfiguration | undefined;
  enabledFor(topic: MailTopicKey): readonly MailConfiguration[];
}

/** The shop's own keys. */
export interface SigningKeyReference {
  /** Oldest first; the last 50 of those that were removed. */
  known(): readonly SigningKey[];
  /** The accepted keys, oldest first; a new array after each change. */
  accepted(): readonly SigningKey[];
  /** Their public halves, likewise. */
  published(): readonly PublishedKey[];
}

/** How an agent stands that members can link. */
export interface AgentClientStanding {
  readonly timesDisabled: number;
  /** Null: it may act for members. `at` is an ISO instant. */
  readonly disabled: { readonly at: string; readonly by: string; readonly reason: string } | null;
  /** Consents of members that stand. */
  readonly links: number;
}

export interface KnownAgentClient extends AgentClientStanding {
  readonly clientId: string;
}

export interface AgentClientReference {
  of(clientId: string): AgentClientStanding;
  /** All that were ever linked or disabled, in the settings or not. */
  known(): Iterable<KnownAgentClient>;
}

/** Ended links of members to agents, for as long as their access tokens live. */
export interface AgentLinkReference {
  /** Whether a grant or an access token was ended before its time. */
  hasEnded(id: string): boolean;
}

/** What the log says now, indexed, in memory (docs/architecture.md#a-command). */
export interface Reference {
  readonly catalogue: CatalogueReference;
  readonly entities: EntityReference;
  readonly stock: StockReference;
  readonly discounts: DiscountReference;
  readonly upsells: UpsellReference;
  readonly unitsSold: UnitsSoldReference;
  readonly recommended: RecommendedProducts;
  readonly shipping: ShippingReference;
  readonly tax: TaxReference;
  readonly taxProviders: ProviderReference;
  readonly addressLookups: ProviderReference;
  readonly paymentProviders: ProviderReference<PaymentProvidersView>;
  readonly settings: SettingsReference;
  readonly exchangeRates: ProviderReference<RatesView>;
  readonly mails: MailReference;
  readonly signingKeys: SigningKeyReference;
  readonly agentClients: AgentClientReference;
  readonly agentLinks: AgentLinkReference;
  /** How often anything but products, stock and discounts has changed. */
  readonly changes: () => number;
}
