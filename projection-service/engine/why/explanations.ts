import type { WhyContribution, WhyResponse } from '#contracts/why.contract.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import type { Reference } from '#reference/reference.ts';
import { START } from '#ports/event-store.ts';
import { eventTypesOf, type PositionedDocument } from '../apply-batch.ts';
import type { Moment } from '../moments.ts';
import { beingFilled, type ViewReader } from '../reader.ts';
import type { TimeIndex } from '../time-index.ts';
import { ContributionFold, isSame } from './contribution-fold.ts';
import type { DiscountDays, EventPlaces, EventSources, ExplainedView } from './explained-view.ts';
import { figureAt, figuresOf, pathOf, type FigurePath } from './figures.ts';
import { eventsBetween, eventsOfDays, eventsOfStream, inLogOrder, type EventReading } from './read-events.ts';

export interface Question {
  readonly view: string;
  readonly key: string;
  /** Left out: the view's main figure. */
  readonly figure?: string | undefined;
  /** Left out: now. */
  readonly asOf?: Moment | undefined;
  /** The page goes on behind this one. */
  readonly position: number;
  readonly limit: number;
}

export interface Explanations {
  /** The views that an explanation is read from. Refuses a view as `why` does. */
  reads(view: string): readonly { readonly name: string }[];
  /**
   * The events behind a figure, each with what it contributed (docs/rules/why.md). Refuses with `entity-not-found` for
   * a view, a document or a figure that is not there, with `invalid-request` for a view that is not explained, with
   * `too-busy`. Errors: `EngineUnavailable`.
   */
  why(question: Question): Promise<WhyResponse>;
}

export interface ExplanationsOptions extends EventReading {
  readonly explained: readonly ExplainedView[];
  readonly views: () => readonly string[];
  readonly reader: ViewReader;
  readonly times: Pick<TimeIndex, 'before' | 'lastRecordedBy' | 'waitFor' | 'position'>;
  readonly reference: Reference;
  /** See `ProjectionDeps.waitForPosition`. */
  readonly waitForPosition: (view: string, position: number) => Promise<unknown>;
  readonly discountDays: DiscountDays;
}

const PATIENCE_MILLISECONDS = 2000;
/** Each holds what it reads: the events of a day, perhaps. */
const MAX_AT_ONCE = 4;
/** Figures that a refusal names. */
const MAX_NAMED = 12;

const notFound = (message: string): Rejection => new Rejection('entity-not-found', message);

const explainedNamed = (
  { explained, views }: Pick<ExplanationsOptions, 'explained' | 'views'>,
  name: string,
): ExplainedView => {
  const found = explained.find(({ view }) => view.name === name);
  if (found) return found;
  if (!views().includes(name)) throw notFound(`There is no view "${name}"; GET /projections lists them.`);
  const names = explained.map(({ view }) => view.name).join(', ');
  throw invalidRequest(`view: must be one whose events can be found: ${names}`);
};

const noFigure = ({ view, mainFigure }: ExplainedView, figure: string, documents: readonly Document[]) => {
  const others = [...new Set([mainFigure, ...documents.flatMap((one) => [...figuresOf(one)])])];
  return notFound(
    `There is no figure "${figure}" in this document of ${view.name}. ` +
      `Figures are the numbers of a document: ${others.slice(0, MAX_NAMED).join(', ')}${others.length > MAX_NAMED ? ', …' : ''}.`,
  );
};

const sourcesOf = (options: ExplanationsOptions): EventSources => {
  const { reader: views, reference, discountDays } = options;
  return {
    views,
    reference,
    discountDays,
    history: (stream) => eventsOfStream(options, stream, { types: null, upTo: Infinity }),
    recordedBetween: (from, before, types) => eventsBetween(options, from, before, { types, upTo: Infinity }),
  };
};

/** What is folded: the documents, up to where, and where their events are. */
interface Folding {
  readonly view: ExplainedView['view'];
  readonly places: EventPlaces;
  readonly path: FigurePath;
  /** By the key of a document, the last position that counts. */
  readonly limits: ReadonlyMap<string, number>;
}

/** The page that was asked for. Without a figure every event of a document counts, with one those that changed it. */
const foldPage = async (
  reading: EventReading,
  { view, places, path, limits }: Folding,
  { figure, position, limit }: Question,
) => {
  const wanted = { types: eventTypesOf(view), upTo: Math.max(...limits.values()) };
  const { streams = [], recordedOn = [] } = places;
  const events = inLogOrder([
    ...[...new Set(streams)].map((stream) => eventsOfStream(reading, stream, wanted)),
    eventsOfDays(reading, recordedOn, wanted),
  ]);
  const fold = new ContributionFold(view, limits, path);
  const items: WhyContribution[] = [];
  let isMore = false;
  for await (const event of events) {
    const taken = fold.take(event);
    if (fold.isStuck) break;
    if (!taken || taken.position <= position || (figure !== undefined && taken.contribution === 0)) continue;
    if (items.length < limit) items.push(taken);
    else isMore = true;
  }
  return { fold, items, next: isMore ? (items.at(-1)?.position ?? null) : null };
};

/** What a document is made of, and the figure of it that was asked for. */
interface Asked {
  readonly places: EventPlaces;
  readonly figure: string;
  readonly path: FigurePath;
  /** Of the key itself, or those that it stands for a part of; as they are now. */
  readonly documents: readonly PositionedDocument[];
  /** Figures that are 0 where they are missing. */
  readonly zeros: readonly string[];
}

/** Waits for what the places are found by, so that none of an event that the document has seen is missed. */
const waitForSources = async (
  { times, waitForPosition }: ExplanationsOptions,
  { reads = [] }: Pick<ExplainedView, 'reads'>,
  position: number,
): Promise<void> => {
  await Promise.all(reads.map(({ name }) => waitForPosition(name, position)));
  if (!(await times.waitFor(position, PATIENCE_MILLISECONDS)))
    throw beingFilled('timeIndex', { position: times.position, head: position });
};

const lookUp = async (
  options: ExplanationsOptions,
  explained: ExplainedView,
  { view, key, figure: named, asOf }: Question,
): Promise<Asked> => {
  const document = await options.reader.get<PositionedDocument>(view, key);
  await waitForSources(options, explained, asOf?.position ?? document?._position ?? START);
  const pastDay = asOf ? isoInstant(asOf.instant).slice(0, 10) : null;
  const about = { key, document: document as never, figure: named ?? null, pastDay };
  const places = await explained.eventsOf(about, sourcesOf(options));
  const { parts } = places;
  const { mainFigure, zeros } = (parts && explained.ofParts) ?? { ...explained, zeros: [] };
  const figure = named ?? mainFigure;
  return {
    places,
    figure,
    path: pathOf(parts ? `${parts.within}.${figure}` : figure),
    documents: (parts?.documents as PositionedDocument[] | undefined) ?? (document ? [document] : []),
    zeros: [mainFigure, ...zeros],
  };
};

/** What has lapsed stands in its stream alone: its document says no position. */
const hasLapsed = ({ _position }: Partial<PositionedDocument>): boolean => _position === undefined;

const explain = async (options: ExplanationsOptions, question: Question): Promise<WhyResponse> => {
  const { view: name, key, asOf } = question;
  const explained = explainedNamed(options, name);
  const { places, figure, path, documents: known, zeros } = await lookUp(options, explained, question);
  if (!asOf && known.length === 0) throw notFound(`${name} has no document "${key}".`);
  const isStored = !asOf && !known.some(hasLapsed);
  const limits = new Map(
    (asOf && !places.parts ? [key] : known.map(({ _id }) => _id)).map((id) => [
      id,
      asOf?.position ?? Infinity,
    ]),
  );
  if (isStored) for (const { _id, _position } of known) limits.set(_id, _position);
  if (isStored && places.recordedOn) await waitForSources(options, {}, Math.max(...limits.values()));
  const { fold, items, next } = await foldPage(
    options,
    { view: explained.view, places, path, limits },
    question,
  );
  const documents = isStored ? known : fold.documents;
  if (documents.length === 0) throw notFound(`${name} had no document "${key}" at that moment.`);
  const values = documents.flatMap((one) => figureAt(one, path) ?? []);
  if (values.length === 0 && !fold.hasFigure && !zeros.includes(figure))
    throw noFigure(explained, figure, documents);
  const value = values.reduce((sum, one) => sum + one, 0);
  return { figure, value, sum: fold.sum, addsUp: !fold.isStuck && isSame(fold.sum, value), items, next };
};

/** Explains figures with the projections that made them: one mechanism for every view, and no second formula. */
export const createExplanations = (options: ExplanationsOptions): Explanations => {
  let underWay = 0;
  return {
    reads: (name) => {
      const { view, reads = [] } = explainedNamed(options, name);
      return [view, ...reads];
    },
    why: async (question) => {
      if (underWay >= MAX_AT_ONCE)
        throw new Rejection(
          'too-busy',
          `${MAX_AT_ONCE} figures are being explained. Please try again in a moment.`,
        );
      underWay++;
      try {
        return await explain(options, question);
      } finally {
        underWay--;
      }
    },
  };
};
