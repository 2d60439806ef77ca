import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { Reference } from '#reference/reference.ts';
import type { ViewReader } from '../reader.ts';

/** Where the events of a document are. Those of other documents may be among them. */
export interface EventPlaces {
  readonly streams?: readonly string[];
  /** UTC days on which events were recorded, in order. */
  readonly recordedOn?: readonly string[];
  /**
   * Where the key stands for a part of several documents, which add up: these as they are, read before the rest was
   * looked for, and the path of that part.
   */
  readonly parts?: { readonly documents: readonly Document[]; readonly within: string };
}

/** The days on which something was recorded of what a discount brought. */
export type DiscountDays = (
  views: Pick<ViewReader, 'find'>,
  discountId: string,
  businessDay: string | null,
) => Promise<readonly string[]>;

/** What tells where events are. */
export interface EventSources {
  readonly views: Pick<ViewReader, 'find' | 'getMany'>;
  readonly reference: Reference;
  /** Events of any type. Errors: `EngineUnavailable`. */
  history(stream: string): AsyncIterable<Recorded>;
  /** Events of these types recorded from one ISO instant to before another. Errors: `EngineUnavailable`. */
  recordedBetween(from: string, before: string, types: ReadonlySet<string>): AsyncIterable<Recorded>;
  readonly discountDays: DiscountDays;
}

/** A document whose events are looked for. */
export interface Explained<Doc extends Document> {
  readonly key: string;
  /** As it is now; null where there is none. */
  readonly document: Doc | null;
  /** Null: the main one. */
  readonly figure: string | null;
  /** The UTC day of the moment of the past that is asked about; null for now. */
  readonly pastDay: string | null;
}

/**
 * A view whose figures are explained by the events behind them (docs/rules/why.md). Its own projection says what each
 * event contributed: only where they are has to be declared.
 */
export interface ExplainedView<Doc extends Document = never> {
  readonly view: AnyProjection;
  /** What is explained where no figure is named. */
  readonly mainFigure: string;
  /** Where keys stand for a part of documents: its main figure, and figures that it leaves out while they are 0. */
  readonly ofParts?: { readonly mainFigure: string; readonly zeros: readonly string[] };
  /** Other views that say where its events are. */
  readonly reads?: readonly { readonly name: string }[];
  eventsOf(explained: Explained<Doc>, sources: EventSources): EventPlaces | Promise<EventPlaces>;
}

/** Gives a declaration the type of its documents. */
export const explainedView = <Doc extends Document>(declaration: ExplainedView<Doc>): ExplainedView =>
  declaration as unknown as ExplainedView;

/** Of documents that are each made of one stream. */
export const explainedByStream = (
  view: AnyProjection,
  mainFigure: string,
  streamOf: (key: string) => string,
): ExplainedView => ({ view, mainFigure, eventsOf: ({ key }) => ({ streams: [streamOf(key)] }) });
