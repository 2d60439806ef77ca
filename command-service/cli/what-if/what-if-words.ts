import { shownDays } from '#charts/dates.ts';
import { quantity } from '#charts/quantities.ts';
import type { WhatIfAnswer } from '#contracts/what-if.contract.ts';

/** What the terminal and the page call things, and how they write figures. */

type Figure = keyof WhatIfAnswer['total']['recorded'];
type Check = WhatIfAnswer['check'];

export interface ComparedFigure {
  readonly title: string;
  readonly recorded: string;
  readonly recomputed: string;
  readonly difference: string;
}

const figures: readonly (readonly [Figure, string, 'amount' | 'count'])[] = [
  ['sales', 'Sales', 'amount'],
  ['discounts', 'Discounts', 'amount'],
  ['averageOrderValue', 'Average order', 'amount'],
  ['ordersTouched', 'Orders touched', 'count'],
  ['uses', 'Uses of rules', 'count'],
];

const signed = (value: number, shown: (amount: number) => string): string => {
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${shown(Math.abs(value))}`;
};

/** Without the dust of binary fractions. */
const difference = (one: number, other: number): number => Number((other - one).toFixed(4));

/** An amount that has grown or shrunk. */
export const shownDifference = (recorded: number, recomputed: number, currency: string | null): string =>
  signed(difference(recorded, recomputed), (amount) => quantity(amount, currency));

export const comparedFigures = (
  { recorded, recomputed }: Pick<WhatIfAnswer['total'], 'recorded' | 'recomputed'>,
  storeCurrency: string,
): readonly ComparedFigure[] =>
  figures.map(([figure, title, unit]) => {
    const currency = unit === 'amount' ? storeCurrency : null;
    const [one, other] = [recorded[figure], recomputed[figure]];
    return {
      title,
      recorded: quantity(one, currency),
      recomputed: quantity(other, currency),
      difference: shownDifference(one, other, currency),
    };
  });

export const titleOf = ({ rule }: WhatIfAnswer): string => {
  if (rule === null) return 'Nothing changed: are the sales as recorded?';
  return rule.change === 'added'
    ? `What if there had been “${rule.name}”?`
    : `What if “${rule.name}” had not been there?`;
};

export const periodOf = ({ from, to }: WhatIfAnswer): string => shownDays(from, to);

const orders = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'order' : 'orders'}`;

/** What the rule itself did, and how many orders would have come to something else; null where nothing is changed. */
export const ruleWords = ({ rule, orders: all, ordersChanged, currency }: WhatIfAnswer): string | null => {
  if (rule === null) return null;
  const { uses, takenOff } = rule.change === 'added' ? rule.recomputed : rule.recorded;
  const did = rule.change === 'added' ? 'would have taken' : 'took';
  return (
    `The rule ${did} ${quantity(takenOff, currency)} off ${orders(uses)}. ` +
    `${ordersChanged.toLocaleString('en')} of ${orders(all)} would have come to another total.`
  );
};

const leftWords: Readonly<Record<Check['leftAsSold'][number]['reason'], string>> = {
  'manual-order': 'written by staff',
  'edited-before-sale': 'edited before they were paid',
  'no-placement': 'without a placement in the log',
};

const reasonWords: Readonly<Record<Check['differences'][number]['reason'], string>> = {
  'changed-at-that-moment': 'rules, rates or products changed at the moment at which it was priced',
  'tax-by-provider': 'a tax provider said its tax',
  'rounded-currency': 'its currency is paid in steps, and prices before rounding are not recorded',
  unexplained: 'unexplained',
};

/** How the check with nothing changed came out. */
export const checkWords = ({ check }: WhatIfAnswer): string => {
  const { sales, asRecorded, leftAsSold, differenceCount } = check;
  const left = leftAsSold.map((one) => `${one.sales.toLocaleString('en')} ${leftWords[one.reason]}`);
  return (
    `Checked first, with nothing changed: of ${sales.toLocaleString('en')} sales ` +
    `${asRecorded.toLocaleString('en')} come out as recorded, to the minor unit; ` +
    `${differenceCount.toLocaleString('en')} do not.` +
    (left.length === 0 ? '' : ` Not recalculated, and the same on both sides: ${left.join(', ')}.`)
  );
};

/** The sales that did not come out as recorded, as far as they are listed. */
export const differenceWords = ({
  check: { differences, differenceCount },
}: WhatIfAnswer): readonly string[] => {
  const listed = differences.map(({ invoiceNumber, date, reason, figures: found }) => {
    const shown = found.map(
      ({ figure, currency, recorded, recomputed }) =>
        `${figure} ${quantity(recorded, currency)} recorded, ${quantity(recomputed, currency)} recomputed`,
    );
    return `${invoiceNumber} of ${date}: ${reasonWords[reason]} (${shown.join('; ')})`;
  });
  const others = differenceCount - differences.length;
  return others > 0 ? [...listed, `and ${others.toLocaleString('en')} more`] : listed;
};
