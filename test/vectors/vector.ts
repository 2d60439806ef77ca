/** One worked case: what is given and expected as people read it, and what the shop's own code makes of it. */
export interface Vector {
  readonly given: string;
  readonly expected: string;
  readonly compute: () => string;
}

/** Worked cases of one rule. */
export interface VectorTable {
  readonly title: string;
  /** The page that states the rule. */
  readonly rules: string;
  readonly vectors: readonly Vector[];
}

/** A table whose rows are all computed alike. */
export const table = <Given extends readonly unknown[]>(
  title: string,
  rules: string,
  compute: (...given: Given) => string,
  rows: readonly (readonly [given: string, expected: string, ...Given])[],
): VectorTable => ({
  title,
  rules,
  vectors: rows.map(([given, expected, ...parameters]) => ({
    given,
    expected,
    compute: () => compute(...(parameters as unknown as Given)),
  })),
});
