import type { DocumentStore } from '#ports/document-store.ts';
import type { Histories } from '../lapsing.ts';
import type { ExportFormat } from '#contracts/export.contract.ts';

/** What a row says, by column. Lists and objects stand in a cell as JSON. */
export type ExportRow = Readonly<Record<string, unknown>>;

/**
 * Where a page ends, and the next one begins: what the last document read has where an export is sorted by, and its
 * `_id`. Where a stream is read, the next revision and nothing.
 */
export type Place = readonly [value: string, id: string];

export interface ExportPage {
  readonly rows: readonly ExportRow[];
  /** Null at the end. */
  readonly next: Place | null;
}

/** Where rows are read from. */
export interface ExportSources {
  readonly readStore: Pick<DocumentStore, 'find' | 'collections'>;
  /** The log, for what was so once, opened when it is first asked for; asked for again for each page. */
  readonly histories: () => Promise<Histories>;
}

export interface ReadPage<Asked> {
  /** The one that serves the view. */
  readonly collection: string;
  readonly asked: Asked;
  /** Null at the beginning. */
  readonly after: Place | null;
}

/** All that a view says, in rows: read page by page, away from the event loop (docs/rules/exports.md#reading). */
export interface Export<Asked = never> {
  readonly view: string;
  /** In their order. */
  readonly columns: readonly string[];
  /** Errors: `EngineUnavailable`. */
  read(sources: ExportSources, page: ReadPage<Asked>): Promise<ExportPage>;
}

/** A page as the side that reads is asked for it. */
export interface PageQuestion extends ReadPage<unknown> {
  readonly view: string;
  readonly format: ExportFormat;
  /** Of the pages before. */
  readonly rowsBefore: number;
}

export interface PageAnswer {
  /** UTF-8. */
  readonly text: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  readonly next: Place | null;
}
