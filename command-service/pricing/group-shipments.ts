import { Decimal } from 'decimal.js';
import { hashedId } from '#kernel/ids.ts';
import { chooseWarehouses, type LinePart, type Supplies, type Units } from '#reference/availability.ts';
import type { ReferenceShippingOption, SellableVariant } from '#reference/reference.ts';
import { allowedOptions, isEligible } from '#reference/shipping-eligibility.ts';
import type { Destination } from '#values/address.ts';
import { countryName } from '#values/region.ts';
import type { AddonChoice } from './addons.ts';
import { isBlockedByPostcode, quoteOption, type QuotedOption } from './quote-shipping.ts';

/** A product line of a basket. */
export interface ShipmentLine {
  readonly lineId: string;
  readonly quantity: number;
  readonly sellable: SellableVariant;
  /** They travel with it. */
  readonly addons: readonly AddonChoice[];
}

/** Units of a line that travel with a group; they are reserved in its warehouse when `isTracked`. */
export interface GroupLine {
  readonly lineId: string;
  readonly productId: string;
  readonly quantity: number;
  readonly isTracked: boolean;
}

/** What leaves one warehouse together, with the ways in which it can travel. */
export interface ShipmentGroup {
  readonly groupId: string;
  readonly groupName: string;
  readonly warehouseId: string;
  readonly lines: readonly GroupLine[];
  /** In the order in which the warehouse lists them; never empty. */
  readonly options: readonly QuotedOption[];
}

/** A line that cannot be sent. The two quantities stand there when it is for want of stock. */
export interface UnshippableLine {
  readonly lineId: string;
  readonly reason: 'destination' | 'stock';
  readonly message: string;
  readonly requestedQuantity?: number;
  readonly availableQuantity?: number;
}

export interface Shipments {
  readonly groups: readonly ShipmentGroup[];
  readonly unshippable: readonly UnshippableLine[];
}

const nameOf = ({ root, variant }: SellableVariant): string =>
  variant.name === root.rootName ? root.rootName : `${root.rootName} (${variant.name})`;

/** With what was chosen for it; a value without a weight adds none. */
const unitWeight = ({ sellable: { root, variant }, addons }: ShipmentLine): Decimal => {
  const packages = variant.packages.length > 0 ? variant.packages : root.defaultPackages;
  let weight = packages.reduce((sum, one) => sum.plus(one.weight), new Decimal(0));
  for (const { optionId, valueId } of addons) {
    const option = root.options.find(({ id }) => id === optionId);
    weight = weight.plus(option?.values.find(({ id }) => id === valueId)?.weightKg ?? 0);
  }
  return weight;
};

interface GroupDraft {
  readonly warehouseId: string;
  readonly options: readonly ReferenceShippingOption[];
  readonly lines: GroupLine[];
  weightKg: Decimal;
}

const eligibleOptions = (
  { shipping }: Supplies,
  sellable: SellableVariant,
  warehouseId: string,
  destination: Destination,
): readonly ReferenceShippingOption[] => {
  const warehouse = shipping.warehouse(warehouseId);
  if (!warehouse) return [];
  return allowedOptions(shipping, sellable, warehouseId).filter(
    (option) => isEligible(option, warehouse, destination) && !isBlockedByPostcode(option, destination),
  );
};

/** Adds a part of a line to the group of its warehouse and options. */
const addPart = (
  drafts: Map<string, GroupDraft>,
  line: ShipmentLine,
  { warehouseId, quantity, isTracked }: LinePart,
  options: readonly ReferenceShippingOption[],
): void => {
  const key = `${warehouseId}|${options
    .map(({ id }) => id)
    .sort()
    .join(',')}`;
  const draft = drafts.get(key) ?? { warehouseId, options, lines: [], weightKg: new Decimal(0) };
  const { lineId, sellable } = line;
  draft.lines.push({ lineId, productId: sellable.variant.id, quantity, isTracked });
  draft.weightKg = draft.weightKg.plus(unitWeight(line).times(quantity));
  drafts.set(key, draft);
};

const toGroup = (
  supplies: Supplies,
  key: string,
  draft: GroupDraft,
  destination: Destination,
): ShipmentGroup => ({
  groupId: hashedId(key),
  groupName: supplies.shipping.warehouse(draft.warehouseId)?.name ?? '',
  warehouseId: draft.warehouseId,
  lines: draft.lines,
  options: draft.options
    .map((option) => quoteOption(option, destination, draft.weightKg))
    .filter((option) => option !== null),
});

const unreachable = ({ lineId, sellable }: ShipmentLine, destination: Destination): UnshippableLine => ({
  lineId,
  reason: 'destination',
  message: `${nameOf(sellable)} cannot be shipped to ${countryName(destination.countryCode)}.`,
});

/**
 * One group per warehouse and identical set of options (docs/rules/shipping.md#groups). Digital lines travel with
 * nobody. A line that cannot be sent whole is in no group. `taken`: see `chooseWarehouses`; units that this basket
 * holds in reserve already are passed in as negative numbers.
 */
export const groupShipments = (
  supplies: Supplies,
  lines: readonly ShipmentLine[],
  destination: Destination,
  taken: Units = new Map(),
): Shipments => {
  const drafts = new Map<string, GroupDraft>();
  const unshippable: UnshippableLine[] = [];
  for (const line of lines) {
    const { lineId, sellable, quantity } = line;
    if (sellable.root.isDigitalProduct) continue;
    const choice = chooseWarehouses(supplies, sellable, destination, quantity, taken);
    if (choice.kind === 'stock') {
      const { requested, available } = choice;
      const message = `${nameOf(sellable)}: ${requested} wanted, ${available} available.`;
      unshippable.push({
        lineId,
        reason: 'stock',
        message,
        requestedQuantity: requested,
        availableQuantity: available,
      });
      continue;
    }
    const parts =
      choice.kind === 'destination'
        ? []
        : choice.parts.map((part) => ({
            part,
            options: eligibleOptions(supplies, sellable, part.warehouseId, destination),
          }));
    if (parts.length === 0 || parts.some(({ options }) => options.length === 0)) {
      unshippable.push(unreachable(line, destination));
    } else {
      for (const { part, options } of parts) addPart(drafts, line, part, options);
    }
  }
  return {
    groups: [...drafts].map(([key, draft]) => toGroup(supplies, key, draft, destination)),
    unshippable,
  };
};
