import { Decimal } from 'decimal.js';
import { hashedId } from '#kernel/ids.ts';
import { chooseWarehouses, type LinePart, type Supplies, type Units } from '#reference/availability.ts';
import type { ReferenceShippingOption, SellableVariant } from '#reference/reference.ts';
import { allowedOptions, isEligible, mayAskCarriers } from '#reference/shipping-eligibility.ts';
import type { RatedPackage } from '#ports/shipping-rate-provider.ts';
import type { Destination } from '#values/address.ts';
import { countryName } from '#values/region.ts';
import type { AddonChoice } from './addons.ts';
import { waysOf, type CarrierQuestion, type ShopShippingOption, type Rates } from './carrier-rates.ts';
import { isBlockedByPostcode, offerOption, quoteOption, type QuotedOption } from './quote-shipping.ts';

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
  /** In the order in which the warehouse lists them, then those of carriers that have been asked. */
  readonly options: readonly QuotedOption[];
  /** What carriers are to be asked about it. */
  readonly questions: readonly CarrierQuestion[];
  readonly rateError: string | null;
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

type Package = Omit<RatedPackage, 'count'>;
type Goods = Pick<ShipmentLine, 'sellable' | 'addons'>;

const NO_PACKAGE: Package = { weightKg: 0, lengthCm: null, widthCm: null, heightCm: null };

/** A value without a weight adds none. */
const addonWeight = ({ sellable: { root }, addons }: Goods): Decimal => {
  let weight = new Decimal(0);
  for (const { optionId, valueId } of addons) {
    const option = root.options.find(({ id }) => id === optionId);
    weight = weight.plus(option?.values.find(({ id }) => id === valueId)?.weightKg ?? 0);
  }
  return weight;
};

/** What one unit travels in. What was chosen for it is packed in with the first; alone it is a package of its own. */
const packagesOf = (line: Goods): readonly Package[] => {
  const { root, variant } = line.sellable;
  const packages = variant.packages.length > 0 ? variant.packages : root.defaultPackages;
  const added = addonWeight(line);
  const sized = packages.map(({ weight: weightKg, ...size }) => ({ weightKg, ...size }));
  if (added.isZero()) return sized;
  const [first = NO_PACKAGE, ...others] = sized;
  return [{ ...first, weightKg: added.plus(first.weightKg).toNumber() }, ...others];
};

const unitWeight = (packages: readonly Package[]): Decimal =>
  packages.reduce((sum, { weightKg }) => sum.plus(weightKg), new Decimal(0));

/** What one unit weighs with what was chosen for it. */
export const weightOf = (line: Goods): Decimal => unitWeight(packagesOf(line));

interface GroupDraft {
  readonly warehouseId: string;
  readonly options: readonly ReferenceShippingOption[];
  readonly lines: GroupLine[];
  /** Whether carriers may be asked what the line before this one costs, and every one before it. */
  mayAskCarriers: boolean;
  readonly packages: Map<string, RatedPackage>;
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
    (option) =>
      isEligible(shipping, option, sellable, warehouse, destination) &&
      !isBlockedByPostcode(option, destination),
  );
};

/** Packages of one kind are counted, so that a carrier gets the same question in any order of lines. */
const addPackages = (packages: GroupDraft['packages'], perUnit: readonly Package[], units: number): void => {
  for (const { weightKg, lengthCm, widthCm, heightCm } of perUnit) {
    const key = [weightKg, lengthCm, widthCm, heightCm].join(' ');
    const count = (packages.get(key)?.count ?? 0) + units;
    packages.set(key, { weightKg, lengthCm, widthCm, heightCm, count });
  }
};

/** Adds a part of a line to the group of its warehouse and options. */
const addPart = (
  { shipping }: Supplies,
  drafts: Map<string, GroupDraft>,
  line: ShipmentLine,
  { warehouseId, quantity, isTracked }: LinePart,
  options: readonly ReferenceShippingOption[],
): void => {
  const key = `${warehouseId}|${options
    .map(({ id }) => id)
    .sort()
    .join(',')}`;
  const draft = drafts.get(key) ?? {
    warehouseId,
    options,
    lines: [],
    mayAskCarriers: true,
    packages: new Map<string, RatedPackage>(),
    weightKg: new Decimal(0),
  };
  const { lineId, sellable } = line;
  const packages = packagesOf(line);
  draft.mayAskCarriers &&= mayAskCarriers(shipping, sellable, warehouseId);
  addPackages(draft.packages, packages, quantity);
  draft.lines.push({ lineId, productId: sellable.variant.id, quantity, isTracked });
  draft.weightKg = draft.weightKg.plus(unitWeight(packages).times(quantity));
  drafts.set(key, draft);
};

/** What carriers are asked: packages by size, goods without any as one that weighs nothing. */
const questionsAbout = ({ shipping }: Supplies, draft: GroupDraft): readonly CarrierQuestion[] => {
  const { warehouseId, packages } = draft;
  const warehouse = shipping.warehouse(warehouseId);
  if (!draft.mayAskCarriers || !warehouse) return [];
  const { countryCode, regionCode, postalCode } = warehouse.address;
  const asked =
    packages.size === 0 ? [{ ...NO_PACKAGE, count: 1 }] : [...packages].sort().map(([, one]) => one);
  const origin = { countryCode, regionCode, postalCode };
  return shipping
    .carriersOf(warehouseId)
    .map((carrier) => ({ warehouseId, carrier, origin, packages: asked }));
};

/** What carriers are asked about goods that leave one warehouse together. */
export const carrierQuestions = (
  supplies: Supplies,
  lines: readonly ShipmentLine[],
  warehouseId: string,
): readonly CarrierQuestion[] => {
  const drafts = new Map<string, GroupDraft>();
  for (const line of lines)
    addPart(supplies, drafts, line, { warehouseId, quantity: line.quantity, isTracked: false }, []);
  return [...drafts.values()].flatMap((draft) => questionsAbout(supplies, draft));
};

const toGroup = (
  supplies: Supplies,
  key: string,
  draft: GroupDraft,
  destination: Destination,
  rates: Rates,
): ShipmentGroup => {
  const { shipping } = supplies;
  const { warehouseId, lines } = draft;
  const groupId = hashedId(key);
  const questions = questionsAbout(supplies, draft);
  const ways = draft.options.map((record): ShopShippingOption => ({
    record,
    offered: offerOption(record, 0),
    own: quoteOption(record, destination, draft.weightKg),
  }));
  const carriers = questions.map(({ carrier }) => carrier);
  return {
    groupId,
    groupName: shipping.warehouse(warehouseId)?.name ?? '',
    warehouseId,
    lines,
    questions,
    ...waysOf(ways, shipping.optionsOf(warehouseId), carriers, rates.get(groupId)),
  };
};

const unreachable = ({ lineId, sellable }: ShipmentLine, destination: Destination): UnshippableLine => ({
  lineId,
  reason: 'destination',
  message: `${nameOf(sellable)} cannot be shipped to ${countryName(destination.countryCode)}.`,
});

/** Carriers have been asked, none has failed, and none goes there. */
const isStranded = ({ groupId, options, rateError }: ShipmentGroup, rates: Rates): boolean =>
  options.length === 0 && rateError === null && rates.has(groupId);

const strandedLines = (groups: readonly ShipmentGroup[], rates: Rates): ReadonlySet<string> =>
  new Set(
    groups
      .filter((group) => isStranded(group, rates))
      .flatMap(({ lines }) => lines.map(({ lineId }) => lineId)),
  );

/**
 * One group per warehouse and identical set of options (docs/rules/shipping.md#groups). Digital lines are in no
 * group, nor is a line that cannot be sent whole. `taken`: see `chooseWarehouses`; units that this basket has
 * reserved are passed in as negative numbers.
 */
export const groupShipments = (
  supplies: Supplies,
  lines: readonly ShipmentLine[],
  destination: Destination,
  taken: Units = new Map(),
  rates: Rates = new Map(),
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
    const hasNoWay = ({ part, options }: (typeof parts)[number]): boolean =>
      options.length === 0 && !mayAskCarriers(supplies.shipping, sellable, part.warehouseId);
    if (parts.length === 0 || parts.some(hasNoWay)) {
      unshippable.push(unreachable(line, destination));
    } else {
      for (const { part, options } of parts) addPart(supplies, drafts, line, part, options);
    }
  }
  const groups = [...drafts].map(([key, draft]) => toGroup(supplies, key, draft, destination, rates));
  const stranded = strandedLines(groups, rates);
  return {
    groups: groups.filter((group) => !isStranded(group, rates)),
    unshippable: [
      ...unshippable,
      ...lines.filter(({ lineId }) => stranded.has(lineId)).map((line) => unreachable(line, destination)),
    ],
  };
};
