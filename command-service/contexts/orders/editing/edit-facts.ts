import type { Sources } from '#command/engine/streams.ts';
import { chooseAddons, type AddonChoice, type ChosenAddon } from '#command/pricing/addons.ts';
import type { Rates } from '#command/pricing/carrier-rates.ts';
import { writtenProblems } from '#command/pricing/custom-item.ts';
import type {
  AddedItem,
  AddedProduct,
  EditFacts,
  FoundItem,
  FoundProduct,
  InvoiceEdit,
} from '#command/pricing/edits/invoice-edit.ts';
import { traitsFrom } from '#command/pricing/line-traits.ts';
import { traitsOfSold } from '#reference/sold-traits.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { sourceWarehouses } from '#reference/availability.ts';
import type { Reference, ReferenceDiscount, SellableVariant } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { keysOfLine } from '#values/discount-targets.ts';
import type { QuotableGroup } from '../../shipping/shipping.commands.ts';
import { closedOrderIds, completedOrderIds } from '../../invoices/order-desk/edit-invoice.state.ts';
import { carriersToAsk, shippingOf, weightsOf, type Sending, type SentProduct } from './edit-shipping.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';

type FactSources = Pick<Sources, 'reference' | 'settings' | 'clock'>;

interface Looking extends Pick<FactSources, 'reference'> {
  readonly invoice: KnownInvoice;
  readonly destination: Destination;
  /** Collects what was named and does not exist. */
  readonly problems: string[];
}

export const destinationOf = ({
  shippingAddress,
  billingAddress,
  billingCountryCode,
}: KnownInvoice): Destination => {
  const address = shippingAddress ?? billingAddress;
  return {
    countryCode: address?.countryCode ?? billingCountryCode ?? '',
    regionCode: address?.regionCode ?? null,
    postalCode: address?.postalCode ?? null,
  };
};

const openOrders = ({ invoice }: Looking) => {
  const closed = [...closedOrderIds(invoice), ...completedOrderIds(invoice)];
  return invoice.content.orders.filter(({ orderId }) => !closed.includes(orderId));
};

const joinsOrderOf =
  (looking: Looking): Sending['joins'] =>
  (warehouseId, optionKey) =>
    openOrders(looking).some(
      (order) => order.warehouseId === warehouseId && order.shippingOptionKey === optionKey,
    );

/** The warehouse of the option that is named. */
const warehouseOfOption = (
  { shippingOptionId }: Pick<AddedItem, 'shippingOptionId'>,
  { reference }: Looking,
): string | null =>
  shippingOptionId === null ? null : (reference.shipping.option(shippingOptionId)?.warehouseId ?? null);

/** If none is named: the warehouse of an order that it can come from, else the product's first. */
const warehouseFor = (
  { warehouseId, shippingOptionId, selectionKey }: AddedProduct,
  sellable: SellableVariant,
  looking: Looking,
  field: string,
): string | null => {
  if (sellable.root.isDigitalProduct) return null;
  const { reference, problems } = looking;
  const sources = sourceWarehouses(reference, sellable);
  if (warehouseId !== null) {
    if (reference.shipping.warehouse(warehouseId) && !sources.includes(warehouseId))
      problems.push(`${field}.warehouseId: must be a warehouse that stocks the product`);
    return warehouseId;
  }
  const optionId = /^so:(.+)$/.exec(selectionKey ?? '')?.[1] ?? shippingOptionId;
  const byOption = warehouseOfOption({ shippingOptionId: optionId }, looking);
  if (byOption !== null && sources.includes(byOption)) return byOption;
  const joined = openOrders(looking).find(
    (order) => order.warehouseId !== null && sources.includes(order.warehouseId),
  );
  const found = joined?.warehouseId ?? sources[0];
  if (found === undefined) problems.push(`${field}.productId: must be a product that some warehouse stocks`);
  return found ?? null;
};

const chosenOf = (
  { root }: SellableVariant,
  choices: readonly AddonChoice[],
  { problems }: Looking,
  field: string,
): readonly ChosenAddon[] => {
  const { chosen, problem } = chooseAddons(root, choices);
  if (problem !== null) problems.push(`${field}.addons: ${problem}`);
  return chosen ?? [];
};

/** The products to add that exist, and the warehouse of each. */
const sentProducts = ({ productsToAdd }: InvoiceEdit, looking: Looking): (SentProduct | null)[] =>
  productsToAdd.map((wanted, index) => {
    const field = `productsToAdd.${index}`;
    const sellable = looking.reference.catalogue.variant(wanted.productId);
    if (sellable) return { wanted, sellable, sentFrom: warehouseFor(wanted, sellable, looking, field) };
    looking.problems.push(`${field}.productId: must be an existing product`);
    return null;
  });

const isThere = <Item>(item: Item | null): item is Item => item !== null;

const foundProduct = (
  { wanted, sellable, sentFrom: warehouseId }: SentProduct,
  looking: Looking,
  sending: Sending,
  field: string,
): FoundProduct => ({
  sellable,
  addons: chosenOf(sellable, wanted.addons, looking, field),
  taxRate: looking.reference.tax.rate(sellable.root.taxGroupId, looking.destination),
  warehouseId,
  ...shippingOf(wanted, warehouseId, sending, field),
});

const foundItem = (item: AddedItem, looking: Looking, sending: Sending, field: string): FoundItem => {
  const { reference, problems } = looking;
  const { taxGroupId, isPhysical } = item;
  if (taxGroupId !== null && !reference.tax.group(taxGroupId))
    problems.push(`${field}.taxGroupId: must be an existing tax group`);
  problems.push(...writtenProblems(item).map((problem) => `${field}.${problem}`));
  const from = openOrders(looking).find((order) => order.warehouseId !== null)?.warehouseId;
  const first = from ?? reference.shipping.warehouses()[0]?.id ?? null;
  const named = item.warehouseId ?? warehouseOfOption(item, looking);
  const warehouseId = isPhysical ? (named ?? first) : null;
  const weightless = { ...sending, weights: new Map() };
  return { warehouseId, ...shippingOf({ ...item, selectionKey: null }, warehouseId, weightless, field) };
};

/** A product without stock rows has no count. */
const availableIn =
  ({ stock, catalogue }: Reference): EditFacts['available'] =>
  (productId, warehouseId) => {
    if (catalogue.variant(productId)?.variant.stockRows.length === 0) return null;
    const level = stock.level(productId, warehouseId);
    if (level === undefined) return 0;
    return level.trackStock ? level.stock - level.reserved : null;
  };

const keysIn =
  ({ catalogue, shipping }: Reference): EditFacts['keysOf'] =>
  (productId, warehouseId) => {
    const sellable = catalogue.variant(productId);
    if (!sellable) return [productId];
    const sold = traitsOfSold(sellable);
    if (warehouseId === null) return keysOfLine(sold);
    return keysOfLine(traitsFrom(sold, warehouseId, shipping.warehouse(warehouseId)?.supplierId ?? null));
  };

const rulesOf = (
  { content }: KnownInvoice,
  { discounts }: Reference,
): ReadonlyMap<string, ReferenceDiscount> =>
  new Map(
    content.discounts.flatMap(({ discountId }) => {
      const known = discounts.byId(discountId);
      return known ? [[discountId, known] as const] : [];
    }),
  );

/** The questions for carriers that come before the facts of an edit; usually none. */
export const ratesToAsk = (
  { reference }: Pick<FactSources, 'reference'>,
  invoice: KnownInvoice,
  edit: InvoiceEdit,
): { readonly groups: readonly QuotableGroup[]; readonly destination: Destination } => {
  const destination = destinationOf(invoice);
  const looking: Looking = { reference, invoice, destination, problems: [] };
  const products = sentProducts(edit, looking).filter(isThere);
  return { groups: carriersToAsk({ reference, products, joins: joinsOrderOf(looking) }), destination };
};

/**
 * What an edit needs of the shop: reference state and carriers' quotes. Errors: Rejection `invalid-request`, naming
 * everything that does not exist.
 */
export const gatherFacts = (
  { reference, settings, clock }: FactSources,
  invoice: KnownInvoice,
  edit: InvoiceEdit,
  segmentIds: readonly string[],
  rates: Rates | null = null,
): EditFacts => {
  const destination = destinationOf(invoice);
  const looking: Looking = { reference, invoice, destination, problems: [] };
  const sent = sentProducts(edit, looking);
  const there = sent.filter(isThere);
  const sending = {
    ...looking,
    products: there,
    weights: weightsOf(there),
    joins: joinsOrderOf(looking),
    rates,
  };
  const products = sent.flatMap((product, index) =>
    product ? [foundProduct(product, looking, sending, `productsToAdd.${index}`)] : [],
  );
  const items = edit.customItems.map((item, index) =>
    foundItem(item, looking, sending, `customItems.${index}`),
  );
  refuseProblems(looking.problems);
  return {
    products,
    items,
    codes: new Map(
      edit.orderDiscountCodes.flatMap((code) => {
        const known = reference.discounts.byCode(code);
        return known ? [[code, known] as const] : [];
      }),
    ),
    rules: rulesOf(invoice, reference),
    now: clock.now(),
    buyer: { customerId: invoice.content.customerId, segmentIds },
    destination,
    tax: reference.tax,
    shippingTax: resolveShippingTax(settings(), reference.tax, destination),
    available: availableIn(reference),
    keysOf: keysIn(reference),
  };
};
