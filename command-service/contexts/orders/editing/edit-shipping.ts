import { Decimal } from 'decimal.js';
import type { AddedProduct, OpenedShipping } from '#command/pricing/edits/invoice-edit.ts';
import { waysOf, type Rates } from '#command/pricing/carrier-rates.ts';
import { carrierQuestions, weightOf, type ShipmentLine } from '#command/pricing/group-shipments.ts';
import { optionKeyOf, quoteOption } from '#command/pricing/quote-shipping.ts';
import type { Reference, SellableVariant } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { QuotableGroup } from '../../shipping/shipping.commands.ts';

/** Where something new ships from, and by which option. */
interface NamedShipping {
  readonly warehouseId: string | null;
  readonly shippingOptionId: string | null;
  readonly selectionKey: string | null;
}

/** A product that an edit adds, and the warehouse that sends it. */
export interface SentProduct {
  readonly wanted: AddedProduct;
  readonly sellable: SellableVariant;
  readonly sentFrom: string | null;
}

export interface Sending {
  readonly reference: Pick<Reference, 'shipping'>;
  readonly destination: Destination;
  /** Total weight by way of shipping. */
  readonly weights: ReadonlyMap<string, Decimal>;
  readonly products: readonly SentProduct[];
  /** Whether an order of the invoice ships that way already. */
  readonly joins: (warehouseId: string, optionKey: string) => boolean;
  /** Null if no carrier was asked. */
  readonly rates: Rates | null;
  /** Collects what was named and does not exist. */
  readonly problems: string[];
}

/** The shipping of a new order, and the option that was asked for. Null: as the order that it joins. */
export interface FoundShipping {
  readonly optionKey: string | null;
  readonly shipping: OpenedShipping;
}

export const nowhere: OpenedShipping = { shippingOptionId: null, optionKey: null, name: null, cost: 0 };

const keyOf = ({ shippingOptionId, selectionKey }: NamedShipping): string | null =>
  selectionKey ?? (shippingOptionId === null ? null : optionKeyOf(shippingOptionId));

/** Things with the same key ship together. */
const togetherKey = (named: NamedShipping, sentFrom: string | null): string =>
  `${sentFrom ?? ''} ${keyOf(named) ?? ''}`;

const providerOf = (key: string): string => key.split(':')[1] ?? '';

const isService = (key: string | null): key is string => key?.startsWith('dyn:') ?? false;

/** The total weight of each order that is opened. */
export const weightsOf = (products: readonly SentProduct[]): ReadonlyMap<string, Decimal> => {
  const weights = new Map<string, Decimal>();
  for (const { wanted, sellable, sentFrom } of products) {
    const key = togetherKey(wanted, sentFrom);
    const weight = weightOf({ sellable, addons: wanted.addons }).times(wanted.quantity);
    weights.set(key, weight.plus(weights.get(key) ?? 0));
  }
  return weights;
};

const linesTogether = (products: readonly SentProduct[], key: string): readonly ShipmentLine[] =>
  products.flatMap(({ wanted, sellable, sentFrom }, index) =>
    togetherKey(wanted, sentFrom) === key
      ? [{ lineId: String(index), quantity: wanted.quantity, sellable, addons: wanted.addons }]
      : [],
  );

/** Questions to the named carrier about everything that it is to ship. */
const questionsOf = (
  { reference, products }: Pick<Sending, 'products'> & { readonly reference: Reference },
  { wanted, sentFrom }: SentProduct,
): QuotableGroup[] => {
  const key = keyOf(wanted);
  if (sentFrom === null || !isService(key)) return [];
  const groupId = togetherKey(wanted, sentFrom);
  const questions = carrierQuestions(reference, linesTogether(products, groupId), sentFrom);
  return [{ groupId, questions: questions.filter(({ carrier }) => carrier.providerKey === providerOf(key)) }];
};

/** The questions for carriers before an edit: about services that no order uses yet. */
export const carriersToAsk = (
  sending: Pick<Sending, 'products' | 'joins'> & { readonly reference: Reference },
): readonly QuotableGroup[] => {
  const asked = new Map<string, QuotableGroup>();
  for (const product of sending.products) {
    const { wanted, sentFrom } = product;
    if (sentFrom !== null && sending.joins(sentFrom, keyOf(wanted) ?? '')) continue;
    for (const group of questionsOf(sending, product)) asked.set(group.groupId, group);
  }
  return [...asked.values()];
};

/** A carrier's service at its quoted price. Lines that join an order, or do not ship, have no quote. */
const serviceNamed = (
  key: string,
  groupId: string,
  sentFrom: string | null,
  { reference: { shipping }, rates, joins, problems }: Sending,
  field: string,
): OpenedShipping => {
  const [, providerKey = '', service = ''] = /^dyn:([^:]+):(.+)$/.exec(key) ?? [];
  const problem = (text: string): OpenedShipping => {
    problems.push(`${field}.selectionKey: ${text}`);
    return nowhere;
  };
  if (service === '') return problem('must be so:<guid> or dyn:<provider>:<service>');
  if (!shipping.isCarrierOn(providerKey)) return problem('must be a carrier that is in use');
  if (sentFrom === null || joins(sentFrom, key))
    return { shippingOptionId: null, optionKey: key, name: service, cost: 0 };
  const { options, rateError } = waysOf(
    [],
    shipping.optionsOf(sentFrom),
    shipping.carriersOf(sentFrom),
    rates?.get(groupId),
  );
  const found = options.find(({ optionKey }) => optionKey === key);
  if (found) return { shippingOptionId: null, optionKey: key, name: found.name, cost: found.cost };
  return problem(rateError ?? 'must be a service that the carrier has for these goods');
};

const optionNamed = (
  optionId: string,
  warehouseId: string | null,
  weightKg: Decimal,
  { reference, destination, problems }: Sending,
  field: string,
): OpenedShipping => {
  const option = reference.shipping.option(optionId);
  if (!option) problems.push(`${field}.shippingOptionId: must be an existing shipping option`);
  const isThere =
    warehouseId === null || reference.shipping.optionsOf(warehouseId).some(({ id }) => id === optionId);
  if (option && !isThere)
    problems.push(`${field}.shippingOptionId: must be a shipping option of that warehouse`);
  if (!option) return nowhere;
  const { name, cost = 0 } = quoteOption(option, destination, weightKg) ?? { name: option.name };
  return { shippingOptionId: optionId, optionKey: optionKeyOf(optionId), name, cost };
};

/** The shipping of something new, at the price for everything that ships together. */
export const shippingOf = (
  named: NamedShipping,
  sentFrom: string | null,
  sending: Sending,
  field: string,
): FoundShipping => {
  const { reference, problems, weights } = sending;
  const { shipping } = reference;
  const { warehouseId, shippingOptionId, selectionKey } = named;
  if (warehouseId !== null && !shipping.warehouse(warehouseId))
    problems.push(`${field}.warehouseId: must be an existing warehouse`);
  const groupId = togetherKey(named, sentFrom);
  if (selectionKey !== null && !selectionKey.startsWith('so:')) {
    const found = serviceNamed(selectionKey, groupId, sentFrom, sending, field);
    return { optionKey: found.optionKey, shipping: found };
  }
  const optionId = selectionKey?.slice(3) ?? shippingOptionId;
  const usedId = optionId ?? (sentFrom === null ? null : (shipping.optionsOf(sentFrom)[0]?.id ?? null));
  if (usedId === null) return { optionKey: null, shipping: nowhere };
  const weight = weights.get(groupId) ?? new Decimal(0);
  const found = optionNamed(usedId, optionId === null ? null : sentFrom, weight, sending, field);
  return { optionKey: optionId === null ? null : found.optionKey, shipping: found };
};
