import { Decimal } from 'decimal.js';
import type { ModuleDeps } from '#command/engine/module.ts';
import { applyEdit } from '#command/pricing/edits/apply-edit.ts';
import { moneyOf } from '#command/pricing/edits/edit-money.ts';
import {
  noEdit,
  type AddedProduct,
  type EditFacts,
  type InvoiceEdit,
} from '#command/pricing/edits/invoice-edit.ts';
import { weightOf } from '#command/pricing/group-shipments.ts';
import { autoSelectOption, quoteOption } from '#command/pricing/quote-shipping.ts';
import type { OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { Refusal } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { chooseWarehouses, isPurchasable, type LinePart } from '#reference/availability.ts';
import type { SellableVariant } from '#reference/reference.ts';
import { allowedOptions, isEligible } from '#reference/shipping-eligibility.ts';
import type { Destination } from '#values/address.ts';
import { countryName } from '#values/region.ts';
import {
  closedOrderIds,
  completedOrderIds,
  shippedUnits,
} from '../../invoices/order-desk/edit-invoice.state.ts';
import { destinationOf, gatherFacts } from './edit-facts.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type {
  PlannedAddition,
  OrderAdditionsApi,
  WantedAddition,
} from '../../invoices/post-purchase/post-purchase.commands.ts';

type PlanningDeps = Pick<ModuleDeps, 'reference' | 'settings' | 'clock'>;

const unlimited: EditFacts['available'] = () => null;

const refusal = (code: string, message: string, details: Refusal['details'] = {}): Refusal => ({
  code,
  message,
  details,
});

/** Orders that can still take something in. */
const openOrders = (invoice: KnownInvoice): readonly OrderContent[] => {
  const closed = [...closedOrderIds(invoice), ...completedOrderIds(invoice)];
  return invoice.content.orders.filter(({ orderId }) => !closed.includes(orderId));
};

/** The warehouses that send it, and how many units each; or why it is unavailable. */
const partsOf = (
  { reference }: PlanningDeps,
  invoice: KnownInvoice,
  sellable: SellableVariant,
  quantity: number,
): { readonly parts: readonly LinePart[]; readonly unavailable: Refusal | null } => {
  const { root } = sellable;
  if (!isPurchasable(sellable.variant))
    return {
      parts: [],
      unavailable: refusal('product-not-purchasable', `${root.rootName} cannot be bought.`),
    };
  if (root.isDigitalProduct) return { parts: [], unavailable: null };
  const destination = destinationOf(invoice);
  const joined = openOrders(invoice).flatMap(({ warehouseId }) => warehouseId ?? []);
  const choice = chooseWarehouses(reference, sellable, destination, quantity, new Map(), joined);
  switch (choice.kind) {
    case 'chosen':
      return { parts: choice.parts, unavailable: null };
    case 'destination': {
      const message = `Not available in ${countryName(destination.countryCode) ?? destination.countryCode}`;
      return { parts: [], unavailable: refusal('items-unavailable', message) };
    }
    case 'stock': {
      const { requested, available } = choice;
      const message = `${root.rootName}: ${requested} wanted, ${available} available.`;
      const details = { requestedQuantity: requested, availableQuantity: available };
      return { parts: [], unavailable: refusal('out-of-stock', message, details) };
    }
  }
};

/** The shipping option from a warehouse that sends nothing else of the order; undefined if there is none. */
const ownOption = (
  { reference, settings }: PlanningDeps,
  sellable: SellableVariant,
  warehouseId: string,
  destination: Destination,
  weightKg: Decimal,
): string | undefined => {
  const { shipping } = reference;
  const warehouse = shipping.warehouse(warehouseId);
  if (!warehouse) return undefined;
  const quotes = allowedOptions(shipping, sellable, warehouseId)
    .filter((option) => isEligible(shipping, option, sellable, warehouse, destination))
    .flatMap((option) => quoteOption(option, destination, weightKg) ?? []);
  return autoSelectOption(quotes, settings().shippingAutoSelectStrategy)?.shippingOptionId ?? undefined;
};

/** The parts as an edit adds them. Refuses a part that needs its own order and cannot be shipped. */
const productsToAdd = (
  deps: PlanningDeps,
  invoice: KnownInvoice,
  sellable: SellableVariant,
  { productId, quantity, addons }: WantedAddition,
  parts: readonly LinePart[],
): { readonly products: readonly AddedProduct[]; readonly unavailable: Refusal | null } => {
  const product = { productId, addons, selectionKey: null };
  const anywhere = { ...product, quantity, warehouseId: null, shippingOptionId: null };
  if (parts.length === 0) return { products: [anywhere], unavailable: null };
  const destination = destinationOf(invoice);
  const joins = new Set(openOrders(invoice).map(({ warehouseId }) => warehouseId));
  const products: AddedProduct[] = [];
  for (const { warehouseId, quantity: units } of parts) {
    const weight = weightOf({ sellable, addons }).times(units);
    const option = joins.has(warehouseId)
      ? null
      : ownOption(deps, sellable, warehouseId, destination, weight);
    if (option === undefined) {
      const unavailable = refusal('items-unavailable', 'It cannot be sent to the address of this order.');
      return { products: [anywhere], unavailable };
    }
    products.push({ ...product, quantity: units, warehouseId, shippingOptionId: option });
  }
  return { products, unavailable: null };
};

/** The weight of an order's lines; withdrawn products count as weightless. */
const weightOfLines = ({ reference }: PlanningDeps, lines: readonly OrderLine[]): Decimal =>
  lines.reduce((sum, { productId, quantity, addons = [] }) => {
    const sellable = productId === null ? undefined : reference.catalogue.variant(productId);
    return sellable ? sum.plus(weightOf({ sellable, addons }).times(quantity)) : sum;
  }, new Decimal(0));

/**
 * Additions ship with the order they join. That may cost more if the option's price depends on weight, but never less;
 * a carrier's quote stays (docs/rules/post-purchase.md#figures).
 */
const shippingUpdates = (
  deps: PlanningDeps,
  invoice: KnownInvoice,
  sellable: SellableVariant,
  products: readonly AddedProduct[],
): InvoiceEdit['orderShippingUpdates'] =>
  products.flatMap(({ warehouseId, quantity, addons }) => {
    const order = openOrders(invoice).find((one) => warehouseId !== null && one.warehouseId === warehouseId);
    const optionId = order?.shippingOptionId ?? null;
    const option = optionId === null ? undefined : deps.reference.shipping.option(optionId);
    if (!order || !option) return [];
    const weight = weightOfLines(deps, order.lines).plus(weightOf({ sellable, addons }).times(quantity));
    const cost = quoteOption(option, destinationOf(invoice), weight)?.cost ?? 0;
    const more = cost - order.shippingCostInStoreCurrency;
    if (more <= 0) return [];
    const shippingCost = order.shippingCost + moneyOf(invoice.content).own(more);
    return [{ orderId: order.orderId, shippingCost }];
  });

const chosenProduct = ({ reference }: PlanningDeps, productId: string): SellableVariant => {
  const sellable = reference.catalogue.variant(productId);
  if (!sellable) throw new Rejection('invalid-request', 'productId: must be an existing product.');
  return sellable;
};

/** Problems of an edit name its fields, but the shopper named one product only. */
const asAsked = (error: unknown): unknown => {
  const problems = error instanceof Rejection ? error.details['errors'] : undefined;
  if (!Array.isArray(problems)) return error;
  return new Rejection(
    'invalid-request',
    problems.map((problem) => String(problem).replace(/^productsToAdd\.\d+\./, '')).join('; '),
  );
};

/** Works out what an addition makes of a paid invoice (docs/rules/post-purchase.md#figures). */
export const createAdditions = (deps: PlanningDeps): OrderAdditionsApi => {
  const planned = (invoice: KnownInvoice, editId: string, wanted: WantedAddition): PlannedAddition => {
    const sellable = chosenProduct(deps, wanted.productId);
    const { maxLineQuantity } = deps.settings();
    refuseProblems(wanted.quantity > maxLineQuantity ? [`quantity: must be at most ${maxLineQuantity}`] : []);
    const { parts, unavailable: atAll } = partsOf(deps, invoice, sellable, wanted.quantity);
    const { products, unavailable: toThere } = productsToAdd(deps, invoice, sellable, wanted, parts);
    const unavailable = atAll ?? toThere;
    const orderShippingUpdates = shippingUpdates(deps, invoice, sellable, products);
    const edit: InvoiceEdit = { ...noEdit, productsToAdd: products, orderShippingUpdates };
    const facts = gatherFacts(deps, invoice, edit, []);
    const edited = applyEdit(
      invoice.content,
      {
        editId,
        version: invoice.edits + 1,
        edit,
        shipped: shippedUnits(invoice),
        closedOrderIds: closedOrderIds(invoice),
        completedOrderIds: completedOrderIds(invoice),
      },
      unavailable === null ? facts : { ...facts, available: unlimited },
    );
    const added = new Set(edited.addedLineIds);
    const lines = edited.content.orders.flatMap((order) => order.lines.filter(({ id }) => added.has(id)));
    return { edited, lines, unavailable };
  };
  return {
    planAddition: (invoice, editId, wanted) => {
      try {
        return planned(invoice, editId, wanted);
      } catch (error) {
        throw asAsked(error);
      }
    },
  };
};
