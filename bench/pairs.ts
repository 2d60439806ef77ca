import { median, spread } from './figures.ts';
import type { Bench } from './http-rows.ts';

/** One of the two versions that are compared. */
export interface Side {
  readonly name: 'this' | 'other';
  /** Where its sources are. */
  readonly root: string;
}

/** No setting beyond those of any version: an older one refuses what it does not know. */
export const settingsOfBoth = {
  LOG_LEVEL: 'warn',
} as const;

export type Both<Value> = Readonly<Record<Side['name'], Value>>;

/** What the rows of a comparison are given. */
export interface Comparison {
  readonly bench: Bench;
  readonly sides: Both<Side>;
  readonly pairs: number;
}

/** One after the other. */
export const onBoth = async <Value>(
  { sides }: Comparison,
  make: (side: Side) => Promise<Value>,
): Promise<Both<Value>> => ({ this: await make(sides.this), other: await make(sides.other) });

interface PairedWork<Value> {
  readonly title: string;
  /** Measures one side once. */
  readonly measure: (side: Side) => Promise<Value>;
  /** Makes one of what one side did twice in a pair. Without it each side is measured once. */
  readonly join?: (one: Value, another: Value) => Value;
  readonly show: (value: Value) => string;
}

/**
 * The sides take turns at being first. Where results can be joined a pair is A, B, B, A, and what drifts evenly cancels
 * out.
 */
export const inPairs = async <Value>(
  { bench, sides, pairs }: Comparison,
  { title, measure, join, show }: PairedWork<Value>,
): Promise<readonly Both<Value>[]> => {
  const measured: Both<Value>[] = [];
  for (let turn = 1; turn <= pairs; turn++) {
    const [first, second] = turn % 2 === 1 ? [sides.this, sides.other] : [sides.other, sides.this];
    let ofFirst: Value = await measure(first);
    let ofSecond: Value = await measure(second);
    if (join) {
      ofSecond = join(ofSecond, await measure(second));
      ofFirst = join(ofFirst, await measure(first));
    }
    const pair =
      first.name === 'this' ? { this: ofFirst, other: ofSecond } : { this: ofSecond, other: ofFirst };
    measured.push(pair);
    bench.say(`${title}: pair ${turn} of ${pairs}: ${show(pair.this)}, the other ${show(pair.other)}`);
  }
  return measured;
};

/** A figure of a measured value; null where a version or a machine does not tell it. */
export type Read<Value> = (value: Value) => number | null;

/** This version's figure divided by the other's, pair by pair. */
export const ratiosOf = <Value>(pairs: readonly Both<Value>[], read: Read<Value>): readonly number[] =>
  pairs.flatMap((pair) => {
    const [mine, other] = [read(pair.this), read(pair.other)];
    return mine === null || other === null || other === 0 ? [] : [mine / other];
  });

const share = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

/** As in `99.2 % (97.5 %–101.0 %): 1 190, other 1 200`; a dash where there is no figure. */
export const comparedText = <Value>(
  pairs: readonly Both<Value>[],
  read: Read<Value>,
  show: (value: number) => string,
): string => {
  const at = (name: Side['name']): string => {
    const found = median(pairs.flatMap((pair) => read(pair[name]) ?? []));
    return Number.isNaN(found) ? '–' : show(found);
  };
  const ratios = ratiosOf(pairs, read);
  return `${ratios.length === 0 ? '–' : spread(ratios, share)}: ${at('this')}, other ${at('other')}`;
};
