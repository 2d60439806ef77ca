import type { DomainEvent, EventOfType, Recorded } from './event.ts';

/** A document of a read model. `_id` is its key; the engine adds the position that it reflects. */
export interface Document {
  readonly _id: string;
}

/** Answered by a projection's function when the event removes the document. */
export const remove = Symbol('remove');

/** The index of a collection: fields (dotted paths) that a find may filter or sort by, in order. */
export interface IndexSpec {
  readonly fields: readonly string[];
  readonly unique?: boolean;
  /** Kept in a plain index too, so that what has no index of its own is looked up there and not in the documents. */
  readonly including?: readonly string[];
  /** Of one field: a text of three letters or more is found in it (`contains`) without looking at every document. */
  readonly contains?: true;
}

/** How documents leave a view after a while without a change. */
export interface Lapsing<Doc extends Document = Document> {
  /** When the document was last changed, an ISO instant; null for one that stays. */
  readonly changedAt: (document: Doc) => string | null;
}

/** Figures by name, as the engine adds them up over a view (docs/architecture.md#counting). */
export type Figures = Readonly<Record<string, number>>;

/**
 * A read model: a pure function from event and document to document. It copies figures, computes no price, looks
 * nothing up and causes nothing. An event may touch several documents: `keys` names them.
 */
export interface Projection<Doc extends Document = Document, Event extends DomainEvent = DomainEvent> {
  readonly name: string;
  /** Raised whenever what the projection yields changes; part of the collection's name. */
  readonly version: number;
  /**
   * Older versions whose documents and indexes the view's queries can still do with: while the present version is being
   * filled, the latest of these that there is answers, and says how old it is.
   */
  readonly readableVersions?: readonly number[];
  readonly indexes: readonly IndexSpec[];
  /** The documents that the event touches. */
  readonly keys: (event: Recorded<Event>) => readonly string[];
  /** Figures of a document, by name, that are added up over the whole view: how many there are of a kind, say. */
  readonly counters?: (document: Doc) => Figures;
  /** The stream with which the document of a key begins: no event before that stream's first one makes it. */
  readonly streamOf?: (key: string) => string;
  /** For a view without counters whose documents are each made of the one stream: it brings them back. */
  readonly lapsing?: Lapsing<Doc>;
  readonly on: {
    readonly [Type in Event['type']]?: (
      document: Doc | null,
      event: Recorded<EventOfType<Event, Type>>,
      key: string,
    ) => Doc | null | typeof remove;
  };
}

/** Gives a projection its types; it is otherwise returned as it is. */
export const projection =
  <Event extends DomainEvent>() =>
  <Doc extends Document>(definition: Projection<Doc, Event>): Projection<Doc, Event> =>
    definition;

/** A projection of any events into any documents, for the engine, which only passes them through. */
export interface AnyProjection extends Pick<
  Projection,
  'name' | 'version' | 'readableVersions' | 'indexes' | 'streamOf'
> {
  readonly keys: (event: never) => readonly string[];
  readonly counters?: (document: never) => Figures;
  readonly lapsing?: Lapsing<never>;
  readonly on: Readonly<
    Record<string, ((document: never, event: never, key: string) => unknown) | undefined>
  >;
}
