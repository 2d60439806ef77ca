import type { Amounts } from '#events/invoice.fields.ts';
import { stepOf } from '#values/currency.ts';
import type { Minor } from '#values/money.ts';
import { isSameTakenOff, type RepricedOrder } from './reprice.ts';
import type { SoldOrder } from './sold-order.ts';

/** Why a sale does not come out as it was recorded although nothing is changed. */
export type DifferenceReason =
  /** Staff changed rules, rates or products at the moment at which it was priced. */
  | 'changed-at-that-moment'
  /** A provider said its tax in another currency, or for other amounts. */
  | 'tax-by-provider'
  /** Its currency is paid in steps, and the prices before rounding are not recorded. */
  | 'rounded-currency'
  | 'unexplained';

/** Why a sale was not recalculated: it stands on both sides as it was sold. */
export type LeftReason =
  /** Staff wrote it: its prices follow no rules. */
  | 'manual-order'
  /** Staff edited it before it was paid. */
  | 'edited-before-sale'
  /** Its placement is not in the log. */
  | 'no-placement';

export interface FigureDifference {
  /** A figure of the invoice, or the id of a discount. */
  readonly figure: string;
  readonly currency: string;
  readonly recorded: Minor;
  readonly recomputed: Minor;
}

export interface Difference {
  readonly reason: DifferenceReason;
  readonly figures: readonly FigureDifference[];
}

export interface SaleNamed {
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  readonly day: string;
}

const amountsThatDiffer = (one: Amounts, other: Amounts, currency: string): FigureDifference[] =>
  (['subTotal', 'discount', 'shipping', 'tax', 'total'] as const).flatMap((figure) =>
    one[figure] === other[figure]
      ? []
      : [{ figure, currency, recorded: one[figure], recomputed: other[figure] }],
  );

const discountsThatDiffer = (
  one: ReadonlyMap<string, Minor>,
  other: ReadonlyMap<string, Minor>,
  currency: string,
): FigureDifference[] => {
  if (isSameTakenOff(one, other)) return [];
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((figure) => {
    const [recorded, recomputed] = [one.get(figure) ?? 0, other.get(figure) ?? 0];
    return recorded === recomputed ? [] : [{ figure, currency, recorded, recomputed }];
  });
};

/** Null where the order comes out as it was recorded, to the minor unit; `changedAt`: when anything changed last. */
export const differenceOf = (
  { recorded, storeCurrency, display, basket, at }: SoldOrder,
  unchanged: RepricedOrder,
  changedAt: number,
): Difference | null => {
  const isRounded = stepOf(storeCurrency) > 1;
  const figures = [
    ...amountsThatDiffer(recorded.inStoreCurrency, unchanged.inStoreCurrency, storeCurrency),
    ...(display.currency === storeCurrency
      ? []
      : amountsThatDiffer(recorded.shown, unchanged.shown, display.currency)),
    // What is taken off is rounded with the rest.
    ...(isRounded ? [] : discountsThatDiffer(recorded.takenOff, unchanged.takenOff, storeCurrency)),
  ];
  if (figures.length === 0) return null;
  if (basket.isTaxedByProvider) return { reason: 'tax-by-provider', figures };
  if (isRounded) return { reason: 'rounded-currency', figures };
  const isClose = Math.abs(changedAt - at) <= CLOSE_MILLISECONDS;
  return { reason: isClose ? 'changed-at-that-moment' : 'unexplained', figures };
};

/** A decision looks at what it knows, and its events come into the log a moment later. */
const CLOSE_MILLISECONDS = 5000;

/** As many are listed; all are counted. */
const MOST_LISTED = 200;

export const createSelfCheck = () => {
  let sales = 0;
  let asRecorded = 0;
  const left: Partial<Record<LeftReason, number>> = {};
  const reasons: Partial<Record<DifferenceReason, number>> = {};
  const differences: (SaleNamed & Difference)[] = [];
  return {
    count: (sale: SaleNamed, difference: Difference | null): void => {
      sales += 1;
      if (difference === null) {
        asRecorded += 1;
        return;
      }
      reasons[difference.reason] = (reasons[difference.reason] ?? 0) + 1;
      if (differences.length < MOST_LISTED) differences.push({ ...sale, ...difference });
    },
    leave: (reason: LeftReason): void => {
      sales += 1;
      left[reason] = (left[reason] ?? 0) + 1;
    },
    result: () => ({ sales, asRecorded, left, reasons, differences }),
  };
};

export type SelfCheck = ReturnType<ReturnType<typeof createSelfCheck>['result']>;
