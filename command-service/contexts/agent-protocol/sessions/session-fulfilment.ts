import type { FulfilmentGroup, FulfilmentOption } from '#agents/protocol-session.ts';
import type { AgentFulfilment } from '#events/agent-session.events.ts';
import { formatMoney, type Minor } from '#values/money.ts';

/** A way in which the goods of one warehouse can travel. */
export interface OfferedOption {
  readonly optionKey: string;
  /** As the agent knows it: the option's external key, else its own. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly carrier: string | null;
  readonly cost: Minor;
  /** What free shipping takes off it; never more than it costs. */
  readonly off: Minor;
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

/** What an agent may choose, and what the choice means for each group. */
export interface Choosable {
  readonly group: Omit<FulfilmentGroup, 'selectedOptionId'>;
  readonly selectionsOf: (optionId: string) => Selections | null;
}

interface Combined extends Omit<OfferedOption, 'optionKey'> {
  readonly selections: Selections;
}

const priceOf = ({ cost, off }: Pick<OfferedOption, 'cost' | 'off'>): Minor => cost - off;

const cheapestFirst = <Option extends Pick<OfferedOption, 'cost' | 'off'>>(
  options: readonly Option[],
): Option[] => options.toSorted((one, other) => priceOf(one) - priceOf(other));

/** Two that are called the same are told apart by what they cost, then by their number. */
const withOwnTitles = <Option extends { readonly name: string } & Pick<OfferedOption, 'cost' | 'off'>>(
  options: readonly Option[],
  currency: string,
): readonly (readonly [title: string, option: Option])[] => {
  const used = new Set<string>();
  return options.map((option) => {
    const free = priceOf(option) === 0 && option.off > 0 ? `Free ${option.name}` : option.name;
    const priced = `${free} (${formatMoney(priceOf(option), currency)})`;
    let title = used.has(free) ? priced : free;
    for (let number = 2; used.has(title); number++) title = `${priced} ${number}`;
    used.add(title);
    return [title, option] as const;
  });
};

const shown = (title: string, option: Combined): FulfilmentOption => ({
  id: option.id,
  title,
  ...(option.description !== '' && { description: option.description }),
  ...(option.carrier !== null && { carrier: option.carrier }),
  totals: [
    { type: 'subtotal', amount: option.cost },
    ...(option.off > 0 ? [{ type: 'discount', amount: -option.off } as const] : []),
    { type: 'total', amount: priceOf(option) },
  ],
});

const choosable = (
  id: string,
  lineIds: readonly string[],
  offered: readonly Combined[],
  currency: string,
): Choosable => {
  const options = withOwnTitles(cheapestFirst(offered), currency);
  return {
    group: { id, lineIds, options: options.map(([title, option]) => shown(title, option)) },
    selectionsOf: (optionId) => offered.find((option) => option.id === optionId)?.selections ?? null,
  };
};

const ofGroup = ({ groupId, options }: OfferedGroup): Combined[] =>
  options.map(({ optionKey, ...option }) => ({ ...option, selections: { [groupId]: optionKey } }));

/** Several at once: their prices are added. */
const together = (parts: readonly Combined[], first: Combined): Combined => ({
  ...first,
  cost: parts.reduce((cost, part) => cost + part.cost, 0),
  off: parts.reduce((off, part) => off + part.off, 0),
  selections: Object.assign({}, ...parts.map(({ selections }) => selections)) as Selections,
});

const inCommon = (groups: readonly (readonly Combined[])[]): Combined[] => {
  const [first = [], ...others] = groups;
  return first.flatMap((option) => {
    const rest = others.map((options) => options.find(({ id }) => id === option.id));
    const parts = [option, ...rest.filter((part) => part !== undefined)];
    return parts.length === groups.length ? [together(parts, option)] : [];
  });
};

const cheapestOfEach = (groups: readonly (readonly Combined[])[]): Combined[] => {
  const cheapest = groups.map((options) => cheapestFirst(options)[0]);
  const parts = cheapest.filter((part) => part !== undefined);
  const [first] = parts;
  if (!first || parts.length < groups.length) return [];
  const named = { ...first, id: CHEAPEST_OF_EACH, name: 'Combined shipping', description: '', carrier: null };
  return [together(parts, named)];
};

/**
 * The groups from which an agent chooses: those of the warehouses where it can deal with several, else one for all of
 * them with the options that each of them has (docs/rules/agent-sessions.md#shipping).
 */
export const choosableGroups = (
  groups: readonly OfferedGroup[],
  { hasManyGroups, currency }: { readonly hasManyGroups: boolean; readonly currency: string },
): readonly Choosable[] => {
  if (hasManyGroups)
    return groups.map((group) => choosable(group.groupId, group.lineIds, ofGroup(group), currency));
  if (groups.length === 0) return [];
  const lineIds = [...new Set(groups.flatMap((group) => group.lineIds))];
  const offered = groups.map(ofGroup);
  const common = inCommon(offered);
  const options = common.length > 0 ? common : cheapestOfEach(offered);
  return [choosable(ONE_GROUP, lineIds, options, currency)];
};

/** A choice of the agent, held against what there is to choose from. */
export interface HeldChoice {
  /** What is chosen, for every group; null: the choice is open in one of them. */
  readonly selections: Selections | null;
  readonly groups: readonly FulfilmentGroup[];
  /** Options that are not offered, or not any more. */
  readonly lost: readonly string[];
}

/** By id; where there is one group, any id or none means that one. */
export const holdChoice = (
  choosables: readonly Choosable[],
  chosen: AgentFulfilment['options'],
): HeldChoice => {
  const optionFor = (groupId: string): string | null => {
    const own = chosen.find((one) => one.groupId === groupId);
    return (own ?? (choosables.length === 1 ? chosen[0] : undefined))?.optionId ?? null;
  };
  const held = choosables.map(({ group, selectionsOf }) => {
    const optionId = optionFor(group.id);
    return { group, optionId, selections: optionId === null ? null : selectionsOf(optionId) };
  });
  const isComplete = held.length > 0 && held.every(({ selections }) => selections !== null);
  return {
    selections: isComplete ? (Object.assign({}, ...held.map((one) => one.selections)) as Selections) : null,
    groups: held.map(({ group, optionId, selections }) => ({
      ...group,
      selectedOptionId: selections === null ? null : optionId,
    })),
    lost: held.flatMap(({ optionId, selections }) => (optionId !== null && !selections ? [optionId] : [])),
  };
};
