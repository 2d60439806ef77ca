import { checkoutEvents, type ShippingChoice } from '#events/checkout.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { Minor } from '#values/money.ts';
import type { ShipmentGroup } from './group-shipments.ts';
import { choiceOf, isStillQuoted, keptDate, standingChoice, type ShippingPlan } from './shipping-plan.ts';

/** A choice that is not offered any more for goods that are still in the basket. */
export interface LostChoice {
  readonly groupId: string;
  readonly optionKey: string;
  readonly name: string;
  /** What the shopper is told. */
  readonly reason: string;
}

/** The choices of a basket, held against how it would ship now. */
export interface RequotedShipping {
  readonly choices: readonly ShippingChoice[];
  readonly lost: readonly LostChoice[];
  /** True when every group has a choice. */
  readonly isComplete: boolean;
}

/** What the chosen shipping costs, all groups. */
export const shippingCost = (choices: readonly ShippingChoice[]): Minor =>
  choices.reduce((sum, { cost }) => sum + cost, 0);

/** A choice that has fallen away, as the shopper is told it. */
const lostChoice = ({ groupId, optionKey, name, carrier }: ShippingChoice): LostChoice => ({
  groupId,
  optionKey,
  name,
  reason:
    carrier === undefined
      ? `${name} is not offered any more for what is in the basket. Choose again how it is shipped.`
      : `The quote for ${name} no longer applies to this basket. Choose shipping again.`,
});

/**
 * The choice that a group is shipped by: its own, else that of a group of the same warehouse that is no more. An option
 * that a shop adds or withdraws gives the same goods a new group, and a shopper who chose another option keeps it.
 */
const madeFor = (
  group: ShipmentGroup,
  made: readonly ShippingChoice[],
  orphans: readonly ShippingChoice[],
): ShippingChoice | undefined =>
  made.find(({ groupId }) => groupId === group.groupId) ??
  orphans.find(
    ({ warehouseId, optionKey, carrier }) =>
      warehouseId === group.warehouseId &&
      (carrier !== undefined || group.options.some((option) => option.optionKey === optionKey)),
  );

const requoteFor = (
  plan: ShippingPlan,
  group: ShipmentGroup,
  choice: ShippingChoice,
  now: string,
): ShippingChoice | null => {
  const option = group.options.find(({ optionKey }) => optionKey === choice.optionKey);
  // What a carrier has quoted is no matter of the shop's own costs.
  if (choice.carrier !== undefined && !option?.quotedAt) return standingChoice(plan, group, choice, now);
  if (option === undefined) return null;
  const live = choiceOf(plan, group, option, now, keptDate(option, choice, now));
  if (!isStillQuoted(plan, group, choice, now)) return live;
  const kept = { ...choice, groupId: group.groupId };
  return live.cost < choice.cost ? { ...kept, cost: live.cost, quotedAt: live.quotedAt } : kept;
};

/**
 * Quotes the choices for the goods as they are now and the place where they go. A quote that was made for exactly these
 * keeps the lower of its cost and today's; any other costs what is asked today (docs/rules/shipping.md#quotes).
 */
export const requoteShipping = (
  made: readonly ShippingChoice[],
  plan: ShippingPlan,
  now: string,
): RequotedShipping => {
  const orphans = made.filter((choice) => !plan.groups.some(({ groupId }) => groupId === choice.groupId));
  const used = new Set<ShippingChoice>();
  const choices = plan.groups.flatMap((group) => {
    const choice = madeFor(group, made, orphans);
    const quoted = choice === undefined ? null : requoteFor(plan, group, choice, now);
    if (choice === undefined || quoted === null) return [];
    used.add(choice);
    return [quoted];
  });
  const isComplete = choices.length === plan.groups.length;
  // Where everything that is left is shipped, what else had been chosen went with its goods: there is nothing to say.
  const hasGaps = !isComplete || plan.unavailable.length > 0;
  const lost = hasGaps ? made.filter((choice) => !used.has(choice)).map(lostChoice) : [];
  return { choices, lost, isComplete };
};

/** Shipping that could not be kept at all: every choice has fallen away. */
export const allLost = (made: readonly ShippingChoice[]): RequotedShipping => ({
  choices: [],
  lost: made.map(lostChoice),
  isComplete: false,
});

/** Whether two lists of choices say the same: what is chosen, at which cost, quoted for the same. */
export const isSameShipping = (one: readonly ShippingChoice[], other: readonly ShippingChoice[]): boolean =>
  one.length === other.length &&
  one.every((a, index) => {
    const b = other[index];
    return (
      a.groupId === b?.groupId &&
      a.optionKey === b.optionKey &&
      a.cost === b.cost &&
      a.deliveryDate === b.deliveryDate &&
      a.isDeliveryDateGuaranteed === b.isDeliveryDateGuaranteed &&
      a.quotedFor === b.quotedFor &&
      a.carrier === b.carrier &&
      // A carrier's quote that was renewed holds for longer.
      (a.carrier === undefined || a.quotedAt === b.quotedAt)
    );
  });

const { ShippingRequoted } = checkoutEvents.create;

/** What the log says of choices that are not what they were; the figures stand in the event before. */
export const shippingRequoted = (
  made: readonly ShippingChoice[],
  { choices, lost }: RequotedShipping,
  pricing: BasketPricing,
) =>
  isSameShipping(choices, made)
    ? []
    : [
        ShippingRequoted({
          choices: choices.map((choice) => ({ ...choice })),
          lost: lost.map((choice) => ({ ...choice })),
          pricing: { ...pricing, changedLines: [] },
        }),
      ];
