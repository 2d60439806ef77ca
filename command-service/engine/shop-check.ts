/** Something that needs attention. */
export interface Finding {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Where it is mended, in the management API. */
  readonly editPath: string | null;
  readonly imageUrl: string | null;
}

/** What staff can have looked through for what needs attention (docs/rules/management.md#health-checks). */
export interface ShopCheck {
  readonly alias: string;
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  readonly sortOrder: number;
  /** What it comes to where anything is found. */
  readonly severity: 'warning' | 'error';
  /** What it comes to, in words; 0: nothing was found. */
  readonly summary: (found: number) => string;
  /** Looks through everything, for one caller at a time and in slices: null where there is nothing to tell. */
  readonly look: () => AsyncIterable<Finding | null> | Iterable<Finding | null>;
}

/** `3 products have no image.` */
export const summaryOf =
  (singular: string, plural: string, none: string) =>
  (found: number): string =>
    found === 0 ? none : `${found} ${found === 1 ? singular : plural}.`;
