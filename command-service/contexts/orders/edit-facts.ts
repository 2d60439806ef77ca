import { Decimal } from 'decimal.js';
import type { Sources } from '#command/engine/streams.ts';
import { chooseAddons, type AddonChoice, type ChosenAddon } from '#command/pricing/addons.ts';
import type {
  AddedItem,
  AddedProduct,
  EditFacts,
  FoundItem,
  FoundProduct,
  InvoiceEdit,
  OpenedShipping,
} from '#command/pricing/edits/invoice-edit.ts';
import { weightOf } from '#command/pricing/group-shipments.ts';
import { traitsOfSold } from '#command/pricing/line-traits.ts';
import { optionKeyOf, quoteOption } from '#command/pricing/quote-shipping.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { Reference, ReferenceDiscount, SellableVariant } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { keysOfLine } from '#values/discount-targets.ts';
import { closedOrderIds } from './edit-invoice.ts';
import type { KnownInvoice } from './invoice.state.ts';

type FactSources = Pick<Sources, 'reference' | 'settings' | 'clock'>;

/** Where and how something new is to be sent. */
interface WantedPlace {
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
  readonly selectionKey: string | null;
}

interface Looking extends Pick<FactSources, 'reference'> {
  readonly invoice: KnownInvoice;
  readonly destination: Destination;
  /** Filled: what was named and is not there. */
  readonly problems: string[];
}

const destinationOf = ({
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

const nowhere: OpenedShipping = { shippingOptionId: null, optionKey: null, name: null, cost: 0 };

/** A carrier's service: what it costs is not asked here. */
const serviceNamed = (key: string, { reference, problems }: Looking, field: string): OpenedShipping => {
  const [, providerKey = '', service = ''] = /^dyn:([^:]+):(.+)$/.exec(key) ?? [];
  if (service === '')
    problems.push(`${field}.selectionKey: so:<guid> or dyn:<provider>:<service> was expected`);
  else if (!reference.shipping.isCarrierOn(providerKey))
    problems.push(`${field}.selectionKey: a carrier that is in use was expected`);
  return { shippingOptionId: null, optionKey: key, name: service, cost: 0 };
};

const optionNamed = (
  optionId: string,
  warehouseId: string | null,
  weightKg: Decimal,
  { reference, destination, problems }: Looking,
  field: string,
): OpenedShipping => {
  const option = reference.shipping.option(optionId);
  if (!option) problems.push(`${field}.shippingOptionId: an existing shipping option was expected`);
  const isThere =
    warehouseId === null || reference.shipping.optionsOf(warehouseId).some(({ id }) => id === optionId);
  if (option && !isThere)
    problems.push(`${field}.shippingOptionId: a shipping option of that warehouse was expected`);
  if (!option) return nowhere;
  const { name, cost = 0 } = quoteOption(option, destination, weightKg) ?? { name: option.name };
  return { shippingOptionId: optionId, optionKey: optionKeyOf(optionId), name, cost };
};

/** How it is sent if it needs an order of its own, and which option was asked for: null, as the order that it joins. */
const shippingOf = (
  { warehouseId, shippingOptionId, selectionKey }: WantedPlace,
  sentFrom: string | null,
  weightKg: Decimal,
  looking: Looking,
  field: string,
): { readonly optionKey: string | null; readonly shipping: OpenedShipping } => {
  const { shipping } = looking.reference;
  if (warehouseId !== null && !shipping.warehouse(warehouseId))
    looking.problems.push(`${field}.warehouseId: an existing warehouse was expected`);
  if (selectionKey !== null && !selectionKey.startsWith('so:')) {
    const found = serviceNamed(selectionKey, looking, field);
    return { optionKey: found.optionKey, shipping: found };
  }
  const named = selectionKey?.slice(3) ?? shippingOptionId;
  const optionId = named ?? (sentFrom === null ? null : (shipping.optionsOf(sentFrom)[0]?.id ?? null));
  if (optionId === null) return { optionKey: null, shipping: nowhere };
  const found = optionNamed(optionId, named === null ? null : sentFrom, weightKg, looking, field);
  return { optionKey: named === null ? null : found.optionKey, shipping: found };
};

const openOrders = ({ invoice }: Looking) => {
  const closed = closedOrderIds(invoice);
  return invoice.content.orders.filter(({ orderId }) => !closed.includes(orderId));
};

/** Where none is named: an order's that has it in stock, else the product's first. */
const warehouseFor = (
  { warehouseId }: WantedPlace,
  { root, variant }: SellableVariant,
  looking: Looking,
  field: string,
): string | null => {
  if (root.isDigitalProduct) return null;
  const rows = new Set(variant.stockRows.map((row) => row.warehouseId));
  const { reference, problems } = looking;
  if (warehouseId !== null) {
    if (reference.shipping.warehouse(warehouseId) && !rows.has(warehouseId))
      problems.push(`${field}.warehouseId: a warehouse that stocks the product was expected`);
    return warehouseId;
  }
  const joined = openOrders(looking).find(
    (order) => order.warehouseId !== null && rows.has(order.warehouseId),
  );
  const found = joined?.warehouseId ?? variant.stockRows[0]?.warehouseId;
  if (found === undefined)
    problems.push(`${field}.productId: a product that some warehouse stocks was expected`);
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

const foundProduct = (wanted: AddedProduct, looking: Looking, field: string): FoundProduct[] => {
  const { reference, destination, problems } = looking;
  const sellable = reference.catalogue.variant(wanted.productId);
  if (!sellable) {
    problems.push(`${field}.productId: an existing product was expected`);
    return [];
  }
  const warehouseId = warehouseFor(wanted, sellable, looking, field);
  const weight = weightOf({ sellable, addons: wanted.addons }).times(wanted.quantity);
  return [
    {
      sellable,
      addons: chosenOf(sellable, wanted.addons, looking, field),
      taxRate: reference.tax.rate(sellable.root.taxGroupId, destination),
      warehouseId,
      ...shippingOf(wanted, warehouseId, weight, looking, field),
    },
  ];
};

const foundItem = (item: AddedItem, looking: Looking, field: string): FoundItem => {
  const { reference, problems } = looking;
  const { taxGroupId, isPhysical } = item;
  if (taxGroupId !== null && !reference.tax.group(taxGroupId))
    problems.push(`${field}.taxGroupId: an existing tax group was expected`);
  const sending = openOrders(looking).find((order) => order.warehouseId !== null)?.warehouseId;
  const first = sending ?? reference.shipping.warehouses()[0]?.id ?? null;
  const warehouseId = isPhysical ? (item.warehouseId ?? first) : null;
  const wanted = { ...item, selectionKey: null };
  return { warehouseId, ...shippingOf(wanted, warehouseId, new Decimal(0), looking, field) };
};

const availableIn =
  ({ stock }: Reference): EditFacts['available'] =>
  (productId, warehouseId) => {
    const level = stock.level(productId, warehouseId);
    if (level === undefined) return 0;
    return level.trackStock ? level.stock - level.reserved : null;
  };

const keysIn =
  ({ catalogue, shipping }: Reference): EditFacts['keysOf'] =>
  (productId, warehouseId) => {
    const sellable = catalogue.variant(productId);
    if (!sellable) return [productId];
    const supplierId = warehouseId === null ? null : (shipping.warehouse(warehouseId)?.supplierId ?? null);
    return keysOfLine({ ...traitsOfSold(sellable), warehouseId, supplierId });
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

/**
 * What an edit needs of the shop as it is now: reference state only. Errors: Rejection `invalid-request`, naming
 * everything that there is not.
 */
export const gatherFacts = (
  { reference, settings, clock }: FactSources,
  invoice: KnownInvoice,
  edit: InvoiceEdit,
  segmentIds: readonly string[],
): EditFacts => {
  const destination = destinationOf(invoice);
  const looking: Looking = { reference, invoice, destination, problems: [] };
  const products = edit.productsToAdd.flatMap((wanted, index) =>
    foundProduct(wanted, looking, `productsToAdd.${index}`),
  );
  const items = edit.customItems.map((item, index) => foundItem(item, looking, `customItems.${index}`));
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
