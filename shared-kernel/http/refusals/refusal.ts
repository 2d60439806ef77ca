/** What a code means to callers: docs/errors.md has all of them. */
export interface Refusal {
  readonly status: number;
  /**
   * The same request may succeed later: answered as Retry-After, and never kept as the answer of an idempotency key.
   */
  readonly retryAfterSeconds?: number;
  /** What has happened, for who writes a program. */
  readonly when: string;
  /** What that program, or the person before it, does next. */
  readonly remedy: string;
}

/** Refusals of one area, under a heading of docs/errors.md. */
export interface RefusalGroup<Code extends string = string> {
  readonly title: string;
  readonly refusals: Readonly<Record<Code, Refusal>>;
}

export const refusals = <const Code extends string>(
  title: string,
  byCode: Readonly<Record<Code, Refusal>>,
): RefusalGroup<Code> => ({ title, refusals: byCode });
