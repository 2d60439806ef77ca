import type { FulfilmentGroup, FulfilmentOption } from '#agents/protocol-session.ts';
import type { AgentFulfilment } from '#events/agent-session.events.ts';
import { allocate, formatMoney, withRest, type Minor } from '#values/money.ts';

/** A way in which the goods of one warehouse can travel. */
export interface OfferedOption {
  readonly optionKey: string;
  /** As the agent knows it: the option's external key, else its own. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly carrier: string | null;
  readonly cost: Minor;
}

/** What leaves one warehouse together, with the lines of the session that have goods in it. */
export interface OfferedGroup {
  readonly groupId: string;
  readonly lineIds: readonly string[];
  readonly options: readonly OfferedOption[];
}

/** The one group that stands for all of them. */
export const ONE_GROUP = 'group_1';
/** The option that stands for the cheapest of each group, where they have none in common. */
export const CHEAPEST_OF_EACH = 'combined-cheapest';

/** By group the key of the option that is chosen for it. */
export type Selections = Readonly<Record<string, string>>;

/** What discounts take off the shipping where these options are chosen, and what they are called. */
export type OffBy = (options: readonly Pick<OfferedOption, 'optionKey' | 'cost'>[]) => {
  readonly amount: Minor;
  readonly names: readonly string[];
};

/** An option as an agent may choose it, with what the choice means for each warehouse. */
interface Choosable extends Omit<OfferedOption, 'optionKey'> {
  readonly selections: Selections;
  /** What is chosen with it, each at its own cost. */
  readonly parts: readonly Pick<OfferedOption, 'optionKey' | 'cost'>[];
}

interface ChoosableGroup {
  readonly id: string;
  readonly lineIds: readonly string[];
  readonly options: readonly Choosable[];
}

/** With what free shipping takes off it. */
interface PricedOption extends Omit<Choosable, 'parts'> {
  readonly off: Minor;
}

/** The cheapest option first. */
export interface HeldGroup extends Omit<ChoosableGroup, 'options'> {
  readonly options: readonly PricedOption[];
  /** Null: nothing is chosen, or what was chosen is not offered. */
  readonly selectedOptionId: string | null;
}

/** What an agent has chosen, held against what there is to choose from. */
export interface HeldShipping {
  /** What is chosen so far. */
  readonly selections: Selections;
  /** There is something to choose, and it is chosen in every group. */
  readonly isComplete: boolean;
  readonly groups: readonly HeldGroup[];
  /** Options that are not offered, or not any more. */
  readonly lost: readonly string[];
  /** The rules that take something off an option. */
  readonly freeShipping: readonly string[];
}

const ofGroup = ({ groupId, options }: OfferedGroup): Choosable[] =>
  options.map(({ optionKey, ...option }) => ({
    ...option,
    selections: { [groupId]: optionKey },
    parts: [{ optionKey, cost: option.cost }],
  }));

/** Several at once: their prices are added. */
const together = (options: readonly Choosable[], first: Choosable): Choosable => ({
  ...first,
  cost: options.reduce((cost, option) => cost + option.cost, 0),
  selections: Object.assign({}, ...options.map(({ selections }) => selections)) as Selections,
  parts: options.flatMap(({ parts }) => parts),
});

const inCommon = (groups: readonly (readonly Choosable[])[]): Choosable[] => {
  const [first = [], ...others] = groups;
  return first.flatMap((option) => {
    const rest = others.map((options) => options.find(({ id }) => id === option.id));
    const all = [option, ...rest.filter((other) => other !== undefined)];
    return all.length === groups.length ? [together(all, option)] : [];
  });
};

const cheapestOf = (options: readonly Choosable[]): Choosable | undefined =>
  options.toSorted((one, other) => one.cost - other.cost)[0];

const cheapestOfEach = (groups: readonly (readonly Choosable[])[]): Choosable[] => {
  const cheapest = groups.map(cheapestOf).filter((option) => option !== undefined);
  const [first] = cheapest;
  if (!first || cheapest.length < groups.length) return [];
  const named = { ...first, id: CHEAPEST_OF_EACH, name: 'Combined shipping', description: '', carrier: null };
  return [together(cheapest, named)];
};

const choosableGroups = (groups: readonly OfferedGroup[], hasManyGroups: boolean): ChoosableGroup[] => {
  if (hasManyGroups)
    return groups.map((group) => ({ id: group.groupId, lineIds: group.lineIds, options: ofGroup(group) }));
  if (groups.length === 0) return [];
  const lineIds = [...new Set(groups.flatMap((group) => group.lineIds))];
  const offered = groups.map(ofGroup);
  const common = inCommon(offered);
  return [{ id: ONE_GROUP, lineIds, options: common.length > 0 ? common : cheapestOfEach(offered) }];
};

/**
 * The groups from which an agent chooses: those of the warehouses where it can deal with several, else one for all of
 * them with the options that each of them has. A choice is meant by the group's id; where there is one group, any id or
 * none means that one (docs/rules/agent-sessions.md#shipping).
 */
export const holdShipping = (
  offered: readonly OfferedGroup[],
  chosen: AgentFulfilment['options'],
  { hasManyGroups, offBy }: { readonly hasManyGroups: boolean; readonly offBy: OffBy },
): HeldShipping => {
  const groups = choosableGroups(offered, hasManyGroups);
  const held = groups.map((group) => {
    const own = chosen.find(({ groupId }) => groupId === group.id);
    const wanted = (own ?? (groups.length === 1 ? chosen[0] : undefined))?.optionId ?? null;
    const selected = group.options.find(({ id }) => id === wanted) ?? null;
    return { group, wanted, selected, shippedBy: selected ?? cheapestOf(group.options) };
  });
  const freeShipping = new Set<string>();
  // Its part of what is off all together, while the other groups are shipped as they are.
  const offOf = (group: ChoosableGroup, option: Choosable): Minor => {
    const all = held.flatMap((one) => (one.group === group ? option : (one.shippedBy ?? [])));
    const { amount, names } = offBy(all.flatMap(({ parts }) => parts));
    names.forEach((name) => freeShipping.add(name));
    const costs = all.map(({ cost }) => cost);
    return allocate(amount, costs)[all.indexOf(option)] ?? 0;
  };
  const priced = held.map(({ group, selected }): HeldGroup => {
    const options = group.options.map((option): PricedOption => {
      const { parts: _, ...shown } = option;
      return { ...shown, off: offOf(group, option) };
    });
    const cheapestFirst = options.toSorted((one, other) => one.cost - one.off - (other.cost - other.off));
    return { ...group, options: cheapestFirst, selectedOptionId: selected?.id ?? null };
  });
  return {
    selections: Object.assign({}, ...held.map(({ selected }) => selected?.selections)) as Selections,
    isComplete: held.length > 0 && held.every(({ selected }) => selected !== null),
    groups: priced,
    lost: held.flatMap(({ wanted, selected }) => (wanted !== null && !selected ? [wanted] : [])),
    freeShipping: [...freeShipping],
  };
};

/** How amounts are shown: in the currency of the session. */
export interface Shown {
  readonly currency: string;
  readonly amount: (inStoreCurrency: Minor) => Minor;
  /** What the answer says that the chosen shipping costs; left out: none is chosen. */
  readonly charged?: Minor | undefined;
}

interface PricedShown {
  readonly option: PricedOption;
  readonly full: Minor;
  readonly price: Minor;
}

const selectedIn = ({ options, selectedOptionId }: HeldGroup): PricedOption | undefined =>
  options.find(({ id }) => id === selectedOptionId);

/** By group: what is chosen comes to what is charged for it, whatever rounding each price by itself would leave. */
const selectedPrices = (
  groups: readonly HeldGroup[],
  { amount, charged }: Shown,
): ReadonlyMap<string, Minor> => {
  const chosen = groups.flatMap((group) => {
    const option = selectedIn(group);
    return option ? [{ id: group.id, price: amount(option.cost - option.off) }] : [];
  });
  const prices = chosen.map(({ price }) => price);
  const settled = charged === undefined ? prices : withRest(prices, charged);
  return new Map(chosen.map(({ id }, index) => [id, settled[index] ?? 0]));
};

const pricedOptions = (group: HeldGroup, selectedPrice: Minor, { amount }: Shown): PricedShown[] =>
  group.options.map((option) => {
    const { id, cost, off } = option;
    const price = id === group.selectedOptionId ? selectedPrice : amount(cost - off);
    return { option, price, full: off === 0 ? price : Math.max(price, amount(cost)) };
  });

/** Two that are called the same are told apart by what they cost, then by their number. */
const withTitles = (options: readonly PricedShown[], currency: string): FulfilmentOption[] => {
  const used = new Set<string>();
  return options.map(({ option: { id, off, description, carrier, ...option }, full, price }) => {
    const name = price === 0 && off > 0 ? `Free ${option.name}` : option.name;
    const priced = `${name} (${formatMoney(price, currency)})`;
    let title = used.has(name) ? priced : name;
    for (let number = 2; used.has(title); number++) title = `${priced} ${number}`;
    used.add(title);
    return {
      ...{ id, title },
      ...(description !== '' && { description }),
      ...(carrier !== null && { carrier }),
      totals: [
        { type: 'subtotal', amount: full },
        ...(full > price ? [{ type: 'discount', amount: price - full } as const] : []),
        { type: 'total', amount: price },
      ],
    };
  });
};

export const shownGroups = (groups: readonly HeldGroup[], shown: Shown): FulfilmentGroup[] => {
  const prices = selectedPrices(groups, shown);
  return groups.map((group) => ({
    ...group,
    options: withTitles(pricedOptions(group, prices.get(group.id) ?? 0, shown), shown.currency),
  }));
};
