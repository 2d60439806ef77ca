import type { WhyContribution } from '#contracts/why.contract.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import { applyEvents, uncounted, type HeldDocuments } from '../apply-batch.ts';
import { figureAt, type FigurePath } from './figures.ts';

/** Smaller than any figure: what adding fractions may be off by. */
const ROUNDING = 1e-6;

export const isSame = (one: number, other: number): boolean => Math.abs(one - other) < ROUNDING;

/** The projection, for these documents alone, each up to the position that it reflects. */
const limitedTo = (projection: AnyProjection, limits: ReadonlyMap<string, number>): AnyProjection => {
  const keysOf = projection.keys as (event: Recorded) => readonly string[];
  const keys = (event: Recorded): readonly string[] =>
    keysOf(event).filter((key) => event.position <= (limits.get(key) ?? -1));
  return { ...uncounted(projection), keys };
};

/**
 * Folds the events of some documents with the projection that made them, and says what each event contributed to a
 * figure: what that is after it, less what it was before. Events come in the order of the log.
 */
export class ContributionFold {
  readonly #projection: AnyProjection;
  readonly #path: FigurePath;
  readonly #documents: HeldDocuments = new Map();
  readonly #figures = new Map<string, number>();
  readonly #changed = new Set<string>();
  /** Of all contributions so far. */
  sum = 0;
  /** Whether a document has had the figure at any time. */
  hasFigure = false;
  /** An event that the projection cannot take ends the fold, as it does the view. */
  isStuck = false;

  /** `limits`: by the key of a document, the last position that counts. */
  constructor(projection: AnyProjection, limits: ReadonlyMap<string, number>, path: FigurePath) {
    this.#projection = limitedTo(projection, limits);
    this.#path = path;
  }

  get documents(): readonly Document[] {
    return [...this.#documents.values()].flatMap(({ document }) => document ?? []);
  }

  /** Null for an event that changes none of the documents. */
  take(event: Recorded): WhyContribution | null {
    this.#changed.clear();
    this.isStuck ||= applyEvents(this.#projection, [event], this.#documents, this.#changed) !== null;
    if (this.isStuck || this.#changed.size === 0) return null;
    let contribution = 0;
    for (const key of this.#changed) {
      const found = figureAt(this.#documents.get(key)?.document, this.#path);
      if (found !== null) this.hasFigure = true;
      contribution += (found ?? 0) - (this.#figures.get(key) ?? 0);
      this.#figures.set(key, found ?? 0);
    }
    this.sum += contribution;
    const { position, stream, type, recordedAt } = event;
    return { position, stream, type, recordedAt, contribution };
  }
}
