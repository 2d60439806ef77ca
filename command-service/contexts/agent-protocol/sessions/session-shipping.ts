import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { QuotedOption } from '#command/pricing/quote-shipping.ts';
import { planShipping, type ShippingPlan } from '#command/pricing/shipping-plan.ts';
import type { AgentDestination, AgentLine } from '#events/agent-session.events.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { Reference } from '#reference/reference.ts';
import { carrierOf } from '#values/carriers.ts';
import { holdsOf, type BasketState } from '../../basket/basket.state.ts';
import type { AgentSession } from './agent-session.state.ts';
import type { OrderedBasket } from './ordered-basket.ts';
import {
  holdShipping,
  type HeldShipping,
  type OfferedGroup,
  type OfferedOption,
} from './session-fulfilment.ts';
import { countryOf, selectedDestination } from './session-place.ts';

type Deps = Pick<CommandDeps, 'reference' | 'settings' | 'apis'>;

/** How the goods of a session can be sent, held against what its agent has chosen. */
export interface SettledShipping extends HeldShipping {
  /** Why the goods cannot go there; null: they can. */
  readonly undeliverable: string | null;
  /** What is not there in the quantity that is wanted. */
  readonly outOfStock: readonly string[];
  /** Carriers were asked what it costs. */
  readonly asksCarriers: boolean;
}

const nothingOffered: HeldShipping = {
  ...{ selections: {}, isComplete: false },
  ...{ groups: [], lost: [], freeShipping: [] },
};

const idOf = ({ shipping }: Reference, { optionKey, shippingOptionId }: IdentifiedOption): string => {
  const option = shippingOptionId === null ? undefined : shipping.option(shippingOptionId);
  return option?.externalKey ?? optionKey;
};
type IdentifiedOption = Pick<QuotedOption, 'optionKey' | 'shippingOptionId'>;

const carrierName = (providerKey: string | undefined): string | null =>
  (providerKey === undefined ? undefined : carrierOf(providerKey)?.displayName) ?? null;

/** What is chosen costs what it was chosen at. */
const offeredOption = (
  reference: Reference,
  option: QuotedOption,
  chosen: ShippingChoice | undefined,
): OfferedOption => ({
  optionKey: option.optionKey,
  id: idOf(reference, option),
  name: option.name,
  description: option.deliveryDescription,
  carrier: carrierName(option.providerKey),
  cost: chosen?.optionKey === option.optionKey ? chosen.cost : option.cost,
});

/** The lines of the session in each group; one whose goods come from several warehouses is in the first of them. */
const linesByGroup = (
  lines: readonly AgentLine[],
  basket: Pick<BasketView, 'lines'>,
  groups: OrderedBasket['groups'],
): ReadonlyMap<string, readonly string[]> => {
  const products = new Map(basket.lines.map(({ lineId, productId }) => [lineId, productId]));
  const groupOf = new Map<string, string>();
  for (const group of groups)
    for (const { lineId } of group.lines) {
      const productId = products.get(lineId) ?? '';
      if (!groupOf.has(productId)) groupOf.set(productId, group.groupId);
    }
  return new Map(
    groups.map(({ groupId }) => [
      groupId,
      lines.flatMap(({ lineId, productId }) => (groupOf.get(productId) === groupId ? [lineId] : [])),
    ]),
  );
};

const offeredGroups = (
  { reference }: Deps,
  { lines }: AgentSession,
  basket: BasketView,
  { groups }: ShippingPlan,
): OfferedGroup[] => {
  const lineIds = linesByGroup(lines, basket, groups);
  return groups.map(({ groupId, options }) => {
    const chosen = basket.choices.find((choice) => choice.groupId === groupId);
    return {
      groupId,
      lineIds: lineIds.get(groupId) ?? [],
      options: options.map((option) => offeredOption(reference, option, chosen)),
    };
  });
};

const chosenIn = ({ choices }: Pick<BasketView, 'choices'>): Readonly<Record<string, string>> =>
  Object.fromEntries(choices.map(({ groupId, optionKey }) => [groupId, optionKey]));

/** False: there was nothing to take back. */
const deselect = async (
  { apis }: Deps,
  basketId: string,
  { choices }: BasketView,
  meta: CommandMeta,
): Promise<boolean> => {
  if (choices.length === 0) return false;
  await apis.checkout.deselectShipping(basketId, stepMeta(meta));
  return true;
};

const messagesOf = ({ unavailable }: ShippingPlan, reason: 'destination' | 'stock'): string[] =>
  unavailable.flatMap((item) => (item.reason === reason ? [item.message] : []));

const countryProblem = (place: AgentDestination): string | null => {
  if (countryOf(place) !== null) return null;
  const { countryCode } = place;
  if (countryCode === undefined) return 'address_country: say to which country the goods go.';
  return `address_country: ${countryCode} is not a country code (ISO 3166-1, two letters).`;
};

/**
 * Ships the basket as the agent has chosen, as far as that is offered. `shipping` null: no place is selected, so
 * nothing is quoted. Errors: those of `selectShipping`.
 */
export const settleShipping = async (
  deps: Deps,
  session: AgentSession,
  meta: CommandMeta,
): Promise<{ readonly shipping: SettledShipping | null; readonly hasChanged: boolean }> => {
  const { basketId, fulfilment, hasManyGroups } = session;
  const { checkout } = deps.apis;
  const { basket, plan, offBy, asksCarriers } = await checkout.shippingQuotes(basketId);
  const place = selectedDestination(session);
  if (place === null) return { shipping: null, hasChanged: await deselect(deps, basketId, basket, meta) };
  const problem = countryProblem(place);
  if (problem !== null || plan.unavailable.length > 0) {
    const [undeliverable = null] = problem === null ? messagesOf(plan, 'destination') : [problem];
    const shipping = {
      ...nothingOffered,
      undeliverable,
      outOfStock: messagesOf(plan, 'stock'),
      asksCarriers,
    };
    return { shipping, hasChanged: await deselect(deps, basketId, basket, meta) };
  }
  const offered = offeredGroups(deps, session, basket, plan);
  const held = holdShipping(offered, fulfilment?.options ?? [], { hasManyGroups, offBy });
  const shipping = { ...held, undeliverable: null, outOfStock: [], asksCarriers };
  const { selections, isComplete } = held;
  if (Object.keys(selections).length === 0)
    return { shipping, hasChanged: await deselect(deps, basketId, basket, meta) };
  if (isSameJson(selections, chosenIn(basket))) return { shipping, hasChanged: false };
  await checkout.selectShipping(basketId, { selections, isPartial: !isComplete }, stepMeta(meta));
  return { shipping, hasChanged: true };
};

type Sent = Pick<AgentSession, 'lines' | 'hasManyGroups'>;

/** What an order is sent by. */
export const orderedShipping = (
  deps: Pick<Deps, 'reference'>,
  { lines, hasManyGroups }: Sent,
  { basket, groups }: Pick<OrderedBasket, 'basket' | 'groups'>,
): SettledShipping | null => {
  const { choices, totals, discounts } = basket;
  if (choices.length === 0) return null;
  const lineIds = linesByGroup(lines, basket, groups);
  const sent = new Set(basket.lines.flatMap(({ isDigital, productId }) => (isDigital ? [] : [productId])));
  const planned = new Set([...lineIds.values()].flat());
  // What was sold may not be there any more to be planned.
  const others = lines.filter(({ lineId, productId }) => sent.has(productId) && !planned.has(lineId));
  const unplanned = others.map(({ lineId }) => lineId);
  const offered = choices.map(({ groupId, optionKey, cost, name, carrier, ...choice }, index) => ({
    groupId,
    lineIds: [...(lineIds.get(groupId) ?? []), ...(index === 0 ? unplanned : [])],
    options: [
      {
        ...{ optionKey, cost, name, id: idOf(deps.reference, { optionKey, ...choice }) },
        description: choice.deliveryDescription ?? '',
        carrier: carrierName(carrier),
      },
    ],
  }));
  const names = discounts.flatMap(({ category, name }) => (category === 'FreeShipping' ? [name] : []));
  const offBy = () => ({ amount: totals.shippingDiscount, names });
  const held = holdShipping(offered, [], { hasManyGroups, offBy });
  return {
    ...held,
    groups: held.groups.map((group) => ({ ...group, selectedOptionId: group.options[0]?.id ?? null })),
    selections: chosenIn(basket),
    isComplete: true,
    undeliverable: null,
    outOfStock: [],
    asksCarriers: false,
  };
};

/** What the goods of a basket that does not change any more are sent by. */
export const chosenShipping = (deps: Deps, sent: Sent, state: BasketState): SettledShipping | null => {
  const { basket } = state;
  if (basket === null || basket.choices.length === 0) return null;
  const plan = planShipping(deps, basket, { holds: holdsOf(state) });
  const groups = basket.choices.map(({ groupId }) => ({
    groupId,
    lines: plan.groups.find((group) => group.groupId === groupId)?.lines ?? [],
  }));
  return orderedShipping(deps, sent, { basket, groups });
};
