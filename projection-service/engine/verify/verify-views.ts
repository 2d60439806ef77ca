import type { EventDecoder } from '#log/decode-page.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import type { GenerationFill } from '../generation-fill.ts';
import { servingGenerations } from '../generations.ts';
import { startFills, takeRest, type FillOptions } from '../rebuilds/fill-views.ts';
import { compareView, MOST_PROBLEMS, type FreshFold, type ViewProblem } from './compare-view.ts';

export interface VerifyViewsOptions {
  readonly store: FillOptions['store'];
  readonly codec: EventDecoder;
  /** What is verified; only read. */
  readonly readStore: DocumentStore;
  /** Empty: the views are folded into it. */
  readonly freshStore: DocumentStore;
  readonly projections: readonly AnyProjection[];
  /** Events folded, and views compared, in shares of 1. */
  readonly onProgress?: (share: number) => void;
}

export interface VerifiedViews {
  readonly views: number;
  readonly documents: number;
  readonly problems: readonly ViewProblem[];
}

/**
 * Folds every view from the log, all in one pass, and compares its documents with those that serve (see `compareView`).
 * Errors: `EngineUnavailable`.
 */
export const verifyViews = async (options: VerifyViewsOptions): Promise<VerifiedViews> => {
  const { projections, readStore, freshStore, onProgress } = options;
  const serving = await servingGenerations(readStore, projections);
  const positionOf = ({ projection }: GenerationFill): number =>
    serving.get(projection.name)?.checkpoint.position ?? START;
  const fills = (await startFills(projections, freshStore)).toSorted(
    (one, other) => positionOf(one) - positionOf(other),
  );
  const head = Math.max(START, ...fills.map(positionOf));
  const fillTo = (some: readonly GenerationFill[], upTo: number): Promise<void> =>
    takeRest(some, {
      ...options,
      upTo,
      onProgress: ({ position }) => onProgress?.((position / Math.max(head, 1)) * 0.5),
    });
  const problems: ViewProblem[] = [];
  let documents = 0;
  for (const [index, fill] of fills.entries()) {
    // The others go along, so that views that are equally far share one pass.
    await fillTo(fills.slice(index), positionOf(fill));
    const compared = await compareView(readStore, foldOf(fill, freshStore, fillTo));
    documents += compared.documents;
    const room = MOST_PROBLEMS - problems.length;
    problems.push(...[...poisonOf(fill), ...compared.problems].slice(0, room));
    onProgress?.(0.5 + (0.5 * (index + 1)) / fills.length);
    await fill.abandon();
  }
  return { views: fills.length, documents, problems };
};

const foldOf = (
  fill: GenerationFill,
  store: DocumentStore,
  fillTo: (fills: readonly GenerationFill[], upTo: number) => Promise<void>,
): FreshFold => ({
  projection: fill.projection,
  store,
  collection: fill.generation.collection,
  position: () => fill.generation.checkpoint.position,
  reach: async (position) => {
    if (position > fill.generation.checkpoint.position) await fillTo([fill], position);
  },
});

const poisonOf = ({ projection, poison }: GenerationFill): readonly ViewProblem[] =>
  poison === null
    ? []
    : [
        {
          view: projection.name,
          key: null,
          position: poison.position,
          found: `an event that the view cannot take: ${poison.message}`,
          expected: 'a fold up to the end of the log',
        },
      ];
