import type { EditDifference, StockChange } from '#events/invoice-edit.shapes.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { BuyerTraits, ReferenceDiscount, SellableVariant, TaxReference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import type { AddonChoice, ChosenAddon } from '../addons.ts';
import type { WrittenItem } from '../custom-item.ts';
import type { ShippingTaxRule } from '../shipping-tax.ts';

/** A discount that staff give by hand. `FixedAmount` of a line is of each unit. */
export interface HandDiscount {
  readonly type: 'FixedAmount' | 'Percentage' | 'Free';
  /** Percent, or minor units of the invoice's currency. */
  readonly value: number;
  readonly name: string | null;
  readonly reason: string | null;
  readonly isVisibleToCustomer: boolean;
}

export interface ChangedLine {
  readonly id: string;
  /** Left out: as it is. */
  readonly quantity?: number;
  readonly shouldReturnToStock: boolean;
  /** Replaces what was given by hand; null takes it away, left out: as it is. */
  readonly discount?: HandDiscount | null;
}

export interface AddedProduct {
  readonly productId: string;
  readonly quantity: number;
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
  /** `so:<guid>` or `dyn:<carrier>:<service>`. */
  readonly selectionKey: string | null;
  readonly addons: readonly AddonChoice[];
}

export interface AddedItem extends WrittenItem {
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
}

/** What staff want changed of an invoice. Amounts in minor units of its own currency. */
export interface InvoiceEdit {
  readonly lineItems: readonly ChangedLine[];
  readonly removedLineItems: readonly { readonly id: string; readonly shouldReturnToStock: boolean }[];
  readonly removedOrderDiscounts: readonly string[];
  readonly customItems: readonly AddedItem[];
  readonly productsToAdd: readonly AddedProduct[];
  readonly orderDiscounts: readonly HandDiscount[];
  readonly orderDiscountCodes: readonly string[];
  readonly orderShippingUpdates: readonly { readonly orderId: string; readonly shippingCost: Minor }[];
  readonly shouldRemoveTax: boolean;
}

export const noEdit: InvoiceEdit = {
  lineItems: [],
  removedLineItems: [],
  removedOrderDiscounts: [],
  customItems: [],
  productsToAdd: [],
  orderDiscounts: [],
  orderDiscountCodes: [],
  orderShippingUpdates: [],
  shouldRemoveTax: false,
};

/** How an order that an edit opens is sent. Store currency. */
export interface OpenedShipping {
  readonly shippingOptionId: string | null;
  readonly optionKey: string | null;
  readonly name: string | null;
  readonly cost: Minor;
}

/** A product that is to be added, as it is sold now. */
export interface FoundProduct {
  readonly sellable: SellableVariant;
  readonly addons: readonly ChosenAddon[];
  readonly taxRate: number;
  /** Where it is sent from; null where it is not sent. */
  readonly warehouseId: string | null;
  /** The option that was asked for; null: as the order that it joins is sent. */
  readonly optionKey: string | null;
  /** Of an order of its own, where none is there for it. */
  readonly shipping: OpenedShipping;
}

/** Where a line that is written by hand goes. */
export interface FoundItem {
  readonly warehouseId: string | null;
  readonly optionKey: string | null;
  readonly shipping: OpenedShipping;
}

/** What an edit needs of the shop as it is now; collected before, so that nothing is looked up on the way. */
export interface EditFacts {
  /** In the order in which the edit names them. */
  readonly products: readonly FoundProduct[];
  readonly items: readonly FoundItem[];
  /** By code, as it was sent; missing where there is no such code. */
  readonly codes: ReadonlyMap<string, ReferenceDiscount>;
  /** By id, the rules that are still there of the discounts on the invoice. */
  readonly rules: ReadonlyMap<string, ReferenceDiscount>;
  readonly now: number;
  readonly buyer: BuyerTraits;
  readonly destination: Destination;
  readonly tax: TaxReference;
  /** For shipping that was charged with none of its own. */
  readonly shippingTax: ShippingTaxRule;
  /** Units available now; null where stock is not tracked. */
  readonly available: (productId: string, warehouseId: string) => number | null;
  /** What targets of discounts may name of a product that is sent from there. */
  readonly keysOf: (productId: string, warehouseId: string | null) => readonly string[];
}

/** An edit, and which one it would be. */
export interface WantedEdit {
  readonly editId: string;
  /** How many edits there are with it. */
  readonly version: number;
  readonly edit: InvoiceEdit;
  /** By line, units that are in a shipment: no less can be ordered. */
  readonly shipped: ReadonlyMap<string, number>;
  /** Orders whose lines stay as they are. */
  readonly closedOrderIds: readonly string[];
  /** Completed orders: nothing can be added to them. */
  readonly completedOrderIds?: readonly string[];
}

/** A use of a rule that comes or goes with an edit. */
export interface UseChange {
  readonly discountId: string;
  /** Store currency. */
  readonly amount: Minor;
  /** In whose name it stands: of an edit; null: of the order. */
  readonly claimedBy: string | null;
}

/** What comes of an edit: the invoice as it is afterwards, and what has to follow. */
export interface EditedInvoice {
  readonly content: InvoiceContent;
  readonly difference: Omit<EditDifference, 'returns'>;
  readonly stock: readonly StockChange[];
  readonly gainedUses: readonly UseChange[];
  readonly lostUses: readonly UseChange[];
  /** Orders that are not what they were; new ones too. */
  readonly changedOrderIds: readonly string[];
  /** Orders that have lost their last line. */
  readonly emptiedOrderIds: readonly string[];
  /** The lines that it added, products first. */
  readonly addedLineIds: readonly string[];
  readonly warnings: readonly string[];
}
