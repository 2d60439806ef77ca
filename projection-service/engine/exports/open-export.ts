import type { Readable } from 'node:stream';
import type { ExportFormat } from '#contracts/export.contract.ts';
import { Rejection } from '#kernel/rejection.ts';
import { answerStream } from '../answer-stream.ts';
import type { ViewReader } from '../reader.ts';
import type { Export, Place } from './export.ts';
import type { PageReader } from './page-readers.ts';

/** Beyond that callers are refused at once. */
const MAX_OPEN = 10;

/** Exports of views, as streams. */
export interface Exports {
  /**
   * All rows, read as fast as they are taken: a stream that is destroyed ends the reading. It fails where the reading
   * does. Refuses with `too-busy`, and with `view-being-filled`. Errors: `EngineUnavailable`.
   */
  open<Asked>(what: Pick<Export<Asked>, 'view'>, asked: Asked, format: ExportFormat): Promise<Readable>;
}

export interface ExportsOptions {
  readonly reader: Pick<ViewReader, 'collectionOf' | 'stored'>;
  readonly pages: Pick<PageReader, 'read'>;
}

const tooMany = (): Rejection =>
  new Rejection('too-busy', `${MAX_OPEN} exports are under way. Please try again when one of them is done.`);

export const createExports = ({ reader, pages }: ExportsOptions): Exports => {
  let open = 0;
  async function* texts(
    { view, asked, format }: { view: string; asked: unknown; format: ExportFormat },
    stored: string,
    left: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    let collection = stored;
    let after: Place | null = null;
    let rowsBefore = 0;
    while (!left.aborted) {
      const read = pages.read({ view, asked, format, collection, after, rowsBefore });
      const page = await read.catch((error: unknown) => {
        if (reader.collectionOf(view) === collection) throw error;
        return null;
      });
      const serving = reader.collectionOf(view);
      // A rebuild has taken over: the same page of the new collection.
      if (page === null || serving !== collection) {
        collection = serving;
        continue;
      }
      if (page.text.length > 0) yield page.text;
      if (page.next === null) return;
      after = page.next;
      rowsBefore += page.rows;
    }
  }
  return {
    open: async ({ view }, asked, format) => {
      if (open >= MAX_OPEN) throw tooMany();
      open++;
      try {
        return answerStream(
          texts.bind(null, { view, asked, format }, await reader.stored(view)),
          () => open--,
        );
      } catch (error) {
        open--;
        throw error;
      }
    },
  };
};
