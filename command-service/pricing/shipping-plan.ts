import type { BasketView } from '#events/basket-view.ts';
import type { ShippingChoice, StockHold } from '#events/checkout.events.ts';
import { hashedId } from '#kernel/ids.ts';
import { unitsKey } from '#reference/availability.ts';
import type { Destination } from '#values/address.ts';
import type { PriceSources } from './basket-prices.ts';
import { groupShipments, type ShipmentGroup, type ShipmentLine } from './group-shipments.ts';
import { isQuoteValid, type Rates } from './carrier-rates.ts';
import { isDeliveryDateOffered } from './delivery-dates.ts';
import { ownHolds } from './line-traits.ts';
import { autoSelectOption, type QuotedOption } from './quote-shipping.ts';

/** A line that cannot be sent, as `/initialize` and `/pay` tell it. */
export interface UnavailableItem {
  readonly lineItemId: string;
  readonly sku: string;
  readonly name: string;
  readonly reason: 'destination' | 'stock';
  readonly message: string;
  readonly requestedQuantity?: number;
  readonly availableQuantity?: number;
}

/** How a basket would ship: its groups with their options, and what cannot go. */
export interface ShippingPlan {
  readonly destination: Destination;
  readonly groups: readonly ShipmentGroup[];
  readonly unavailable: readonly UnavailableItem[];
  /** What an order reserves: units by variant and warehouse, where stock is tracked. */
  readonly holds: readonly StockHold[];
  /** The option that the shop would choose, by group. */
  readonly automatic: ReadonlyMap<string, QuotedOption>;
}

/** What an order of these groups reserves: units by variant and warehouse, where stock is tracked. */
export const holdsOf = (groups: readonly ShipmentGroup[]): StockHold[] => {
  const holds = new Map<string, StockHold>();
  for (const { warehouseId, lines } of groups) {
    for (const { productId, quantity, isTracked } of lines) {
      if (!isTracked) continue;
      const key = unitsKey(productId, warehouseId);
      const held = holds.get(key)?.quantity ?? 0;
      holds.set(key, { productId, warehouseId, quantity: held + quantity });
    }
  }
  return [...holds.values()];
};

const noRates: Rates = new Map();

/**
 * Groups a basket's lines for a destination, with what carriers have said where they were asked. Looks things up in
 * reference state; no I/O.
 */
export const planShipping = (
  { reference, settings }: Pick<PriceSources, 'reference' | 'settings'>,
  basket: Pick<BasketView, 'lines' | 'destination'>,
  { holds }: { readonly holds: readonly StockHold[] },
  destination: Destination = basket.destination,
  rates: Rates = noRates,
): ShippingPlan => {
  const lines = basket.lines.flatMap((line): ShipmentLine[] => {
    const sellable = reference.catalogue.variant(line.productId);
    if (!sellable) return [];
    const { lineId, quantity, addons = [] } = line;
    return [{ lineId, quantity, sellable, addons }];
  });
  const { groups, unshippable } = groupShipments(reference, lines, destination, ownHolds(holds), rates);
  const unavailable = unshippable.flatMap(({ lineId, ...why }) => {
    const line = basket.lines.find((candidate) => candidate.lineId === lineId);
    return line ? [{ lineItemId: lineId, sku: line.sku, name: line.productRootName, ...why }] : [];
  });
  const strategy = settings().shippingAutoSelectStrategy;
  const automatic = new Map<string, QuotedOption>();
  for (const { groupId, options } of groups) {
    const option = autoSelectOption(options, strategy);
    if (option) automatic.set(groupId, option);
  }
  return { destination, groups, unavailable, holds: holdsOf(groups), automatic };
};

/** How a basket would ship, for the decision on it: its lines are known only once the decision is made. */
export type PlanShipping = (basket: Pick<BasketView, 'lines' | 'destination'>) => ShippingPlan;

/** Plans shipping for any change of a basket, which already holds some stock. */
export const shippingPlanner =
  (sources: Pick<PriceSources, 'reference' | 'settings'>, holds: readonly StockHold[]): PlanShipping =>
  (basket) =>
    planShipping(sources, basket, { holds });

/** What a quote holds good for: these units of these lines, to this place. */
const quotedFor = (
  { lines }: ShipmentGroup,
  { countryCode, regionCode, postalCode }: Destination,
): string => {
  const goods = lines.map(({ lineId, quantity }) => `${lineId}:${quantity}`).sort();
  return hashedId(JSON.stringify([countryCode, regionCode, postalCode, ...goods]));
};

/** When it is wanted; promised where its option promises every date that it offers. */
const dateChosen = (
  deliveryDate: string | null,
  isGuaranteed: boolean | undefined,
): Pick<ShippingChoice, 'deliveryDate' | 'isDeliveryDateGuaranteed'> => ({
  deliveryDate,
  ...(deliveryDate !== null && isGuaranteed && { isDeliveryDateGuaranteed: true }),
});

/** The choice of an option for a group, at the server's own quote. */
export const choiceOf = (
  { destination }: Pick<ShippingPlan, 'destination'>,
  group: ShipmentGroup,
  option: QuotedOption,
  now: string,
  deliveryDate: string | null = null,
): ShippingChoice => {
  const { optionKey, shippingOptionId, name, cost, providerKey, quotedAt, deliveryDescription } = option;
  return {
    groupId: group.groupId,
    warehouseId: group.warehouseId,
    optionKey,
    shippingOptionId,
    name,
    cost,
    quotedAt: quotedAt ?? now,
    ...dateChosen(deliveryDate, option.isDeliveryDateGuaranteed),
    ...(deliveryDescription !== '' && { deliveryDescription }),
    quotedFor: quotedFor(group, destination),
    ...(quotedAt !== null && { carrier: providerKey }),
  };
};

/** Whether a choice was quoted for these very goods and this place, and by its carrier not too long ago. */
export const isStillQuoted = (
  { destination }: Pick<ShippingPlan, 'destination'>,
  group: ShipmentGroup,
  { quotedFor: quoted, quotedAt, carrier }: ShippingChoice,
  now: string,
): boolean =>
  quoted === quotedFor(group, destination) && (carrier === undefined || isQuoteValid(quotedAt, now));

/**
 * A carrier's quote that still holds though the carrier does not say it again: it fails, or is not asked. Null where
 * the carrier is asked here no more.
 */
export const standingChoice = (
  plan: Pick<ShippingPlan, 'destination'>,
  group: ShipmentGroup,
  made: ShippingChoice,
  now: string,
): ShippingChoice | null => {
  const isAsked = group.questions.some(({ carrier }) => carrier.providerKey === made.carrier);
  return isAsked && isStillQuoted(plan, group, made, now) ? { ...made, groupId: group.groupId } : null;
};

/** Today's quote, or the one of before where that still holds and is lower (docs/rules/shipping.md#quotes). */
export const lowerChoice = (
  plan: Pick<ShippingPlan, 'destination'>,
  group: ShipmentGroup,
  live: ShippingChoice,
  made: ShippingChoice | undefined,
  now: string,
): ShippingChoice => {
  const isLower = made?.optionKey === live.optionKey && made.cost <= live.cost;
  if (!isLower || !isStillQuoted(plan, group, made, now)) return live;
  const { isDeliveryDateGuaranteed: _, ...quote } = made;
  return {
    ...quote,
    groupId: group.groupId,
    ...dateChosen(live.deliveryDate, live.isDeliveryDateGuaranteed),
  };
};

const normalKey = (key: string): string => (/^(so|dyn):/.test(key) ? key : `so:${key}`);

const offered = (group: ShipmentGroup, key: string | undefined): QuotedOption | undefined =>
  key === undefined ? undefined : group.options.find(({ optionKey }) => optionKey === normalKey(key));

/** By group id, else by warehouse, else any choice that this group offers (docs/rules/shipping.md#choosing). */
const selectedFor = (
  group: ShipmentGroup,
  selections: Readonly<Record<string, string>>,
): QuotedOption | undefined => {
  const named = selections[group.groupId] ?? selections[group.warehouseId];
  if (named !== undefined) return offered(group, named);
  return Object.values(selections)
    .map((key) => offered(group, key))
    .find((option) => option !== undefined);
};

/** Why a group has no choice. */
const missing = (
  { groupName, options, rateError }: ShipmentGroup,
  key: string | undefined,
  hasExpired: boolean,
): string => {
  if (hasExpired && rateError !== null) return `The quote for ${groupName} has expired. ${rateError}`;
  if (options.length === 0) return rateError ?? `Nothing is offered for ${groupName}.`;
  return key === undefined
    ? `Choose how the items from ${groupName} are shipped.`
    : `Your shipping option for ${groupName} is not available.`;
};

export interface Selected {
  readonly choices: readonly ShippingChoice[];
  /** What is wrong, by group id. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Checks what a shopper selected against what is offered now. */
export const selectOptions = (
  plan: ShippingPlan,
  selections: Readonly<Record<string, string>>,
  deliveryDates: Readonly<Record<string, string>>,
  now: string,
  made: readonly ShippingChoice[] = [],
): Selected => {
  const errors: Record<string, string> = {};
  const choices = plan.groups.flatMap((group) => {
    const { groupId } = group;
    const before = made.find((choice) => choice.groupId === groupId);
    const option = selectedFor(group, selections);
    if (!option) {
      const key = selections[groupId] ?? selections[group.warehouseId];
      const isBefore = key !== undefined && before?.optionKey === normalKey(key);
      const standing = isBefore && group.rateError !== null ? standingChoice(plan, group, before, now) : null;
      if (standing) return [standing];
      errors[groupId] = missing(group, key, isBefore && before.carrier !== undefined);
      return [];
    }
    const date = deliveryDates[groupId] ?? deliveryDates[option.optionKey] ?? null;
    if (date !== null && !isDeliveryDateOffered(option, date, now.slice(0, 10))) {
      errors[groupId] = `${option.name} cannot be delivered on ${date.slice(0, 20)}.`;
      return [];
    }
    return [lowerChoice(plan, group, choiceOf(plan, group, option, now, date), before, now)];
  });
  return { choices, errors };
};

/** The date that was chosen with this very option, as long as it can still be had. */
export const keptDate = (
  option: QuotedOption,
  made: ShippingChoice | undefined,
  now: string,
): string | null => {
  const date = made?.optionKey === option.optionKey ? made.deliveryDate : null;
  return date !== null && isDeliveryDateOffered(option, date, now.slice(0, 10)) ? date : null;
};

/** What was chosen before and its carrier does not say again, as long as its quote holds. */
const restoredChoice = (
  plan: ShippingPlan,
  group: ShipmentGroup,
  key: string | undefined,
  made: ShippingChoice | undefined,
  now: string,
): ShippingChoice | null =>
  key !== undefined && made?.carrier !== undefined && made.optionKey === normalKey(key)
    ? standingChoice(plan, group, made, now)
    : null;

/**
 * The choices for `/initialize`: what was chosen before and is still offered, with its date, else the shop's own when
 * it may choose. `restored` counts the former.
 */
export const initialChoices = (
  plan: ShippingPlan,
  previous: Readonly<Record<string, string>>,
  mayChoose: boolean,
  now: string,
  made: readonly ShippingChoice[] = [],
): { readonly choices: readonly ShippingChoice[]; readonly restored: number } => {
  let restored = 0;
  const choices = plan.groups.flatMap((group) => {
    const { groupId } = group;
    const madeHere = made.find((choice) => choice.groupId === groupId);
    const kept = offered(group, previous[groupId]);
    const standing = kept ? null : restoredChoice(plan, group, previous[groupId], madeHere, now);
    if (kept || standing) restored++;
    if (standing) return [standing];
    const option = kept ?? (mayChoose ? plan.automatic.get(groupId) : undefined);
    if (!option) return [];
    const live = choiceOf(plan, group, option, now, keptDate(option, madeHere, now));
    return [lowerChoice(plan, group, live, madeHere, now)];
  });
  return { choices, restored };
};
