import type { Document, Figures } from '#kernel/projection.ts';

/**
 * The figures of a view's documents, kept so that they need not be counted: one document per generation, under the
 * name of its collection. Its position is that of the last event counted: an event applied again to documents that
 * were not written the first time does not count again.
 */
export interface ViewCounters extends Document {
  readonly figures: Figures;
}

export const countersCollection = 'tallies';

/** Under which the counters stand among the documents of its view, in memory: no event has such a key. */
export const COUNTERS = ' tally';

/** The figures after documents have changed, each before and after; null where there is no document. */
export const countedAfter = <Doc>(
  figures: Figures,
  changes: readonly (readonly [before: Doc | null, after: Doc | null])[],
  counters: (document: Doc) => Figures,
): Figures => {
  const added: Record<string, number> = {};
  const add = (document: Doc | null, sign: 1 | -1): void => {
    if (document === null) return;
    const own = counters(document);
    for (const name of Object.keys(own)) added[name] = (added[name] ?? 0) + sign * (own[name] ?? 0);
  };
  for (const [before, after] of changes) {
    add(before, -1);
    add(after, 1);
  }
  const changed = Object.keys(added).filter((name) => added[name] !== 0);
  if (changed.length === 0) return figures;
  const next: Record<string, number> = { ...figures };
  for (const name of changed) {
    next[name] = (next[name] ?? 0) + (added[name] ?? 0);
    if (next[name] === 0) delete next[name];
  }
  return next;
};
