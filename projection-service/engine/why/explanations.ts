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
   * a view, a document or a figure that is not there, with `invalid-request` for a view that is not explained. Errors:
   * `EngineUnavailable`.
   */
  why(question: Question): Promise<WhyResponse>;
}

export interface ExplanationsOptions extends EventReading {
  readonly explained: readonly ExplainedView[];
  readonly views: () => readonly string[];
  readonly reader: ViewReader;
  readonly times: Pick<TimeIndex, 'before' | 'lastRecordedBy' | 'waitFor' | 'position'>;
  readonly reference: Reference;
  readonly discountDays: DiscountDays;
}

const PATIENCE_MILLISECONDS = 2000;
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

/** The documents as they are now; null of the past, of which only the log tells, and of what has lapsed. */
const storedNow = async (
  { reader }: Pick<ExplanationsOptions, 'reader'>,
  { view, asOf }: Question,
  keys: readonly string[],
): Promise<readonly PositionedDocument[] | null> => {
  const stored = asOf ? [] : await reader.getMany<PositionedDocument>(view, keys);
  return stored.length > 0 ? stored : null;
};

const limitsOf = (
  stored: readonly PositionedDocument[] | null,
  keys: readonly string[],
  asOf: Moment | undefined,
): ReadonlyMap<string, number> =>
  new Map(
    stored?.map(({ _id, _position }) => [_id, _position]) ??
      keys.map((key) => [key, asOf?.position ?? Infinity]),
  );

const explain = async (options: ExplanationsOptions, question: Question): Promise<WhyResponse> => {
  const { reader, times } = options;
  const { view: name, key, asOf } = question;
  const timesReach = async (position: number): Promise<void> => {
    if (!(await times.waitFor(position, PATIENCE_MILLISECONDS)))
      throw beingFilled('timeIndex', { position: times.position, head: position });
  };
  const explained = explainedNamed(options, name);
  const { view } = explained;
  const document = await reader.get<PositionedDocument>(name, key);
  await timesReach(asOf?.position ?? document?._position ?? START);
  const pastDay = asOf ? isoInstant(asOf.instant).slice(0, 10) : null;
  const about = { key, document: document as never, figure: question.figure ?? null, pastDay };
  const places = await explained.eventsOf(about, sourcesOf(options));
  const { keys, within } = places.parts ?? { keys: [key], within: null };
  const { mainFigure, zeros } = (within !== null && explained.ofParts) || { ...explained, zeros: [] };
  const figure = question.figure ?? mainFigure;
  const stored = await storedNow(options, question, keys);
  if (!asOf && !stored && !document) throw notFound(`${name} has no document "${key}".`);
  const path = pathOf(within === null ? figure : `${within}.${figure}`);
  const limits = limitsOf(stored, keys, asOf);
  if (stored && places.recordedOn) await timesReach(Math.max(...limits.values()));
  const { fold, items, next } = await foldPage(options, { view, places, path, limits }, question);
  const documents = stored ?? fold.documents;
  if (documents.length === 0) throw notFound(`${name} had no document "${key}" at that moment.`);
  const values = documents.flatMap((one) => figureAt(one, path) ?? []);
  if (values.length === 0 && !fold.hasFigure && ![mainFigure, ...zeros].includes(figure))
    throw noFigure(explained, figure, documents);
  const value = values.reduce((sum, one) => sum + one, 0);
  return { figure, value, sum: fold.sum, addsUp: !fold.isStuck && isSame(fold.sum, value), items, next };
};

/** Explains figures with the projections that made them: one mechanism for every view, and no second formula. */
export const createExplanations = (options: ExplanationsOptions): Explanations => ({
  reads: (name) => {
    const { view, reads = [] } = explainedNamed(options, name);
    return [view, ...reads];
  },
  why: (question) => explain(options, question),
});
