import type { Readable } from 'node:stream';
import { Rejection } from '#kernel/rejection.ts';
import { wantedBy } from '#log/event-filter.ts';
import { maskedEvents } from '#log/masked-events.ts';
import { searchedPages, type LogSearch, type SearchedLog } from '#log/search-log.ts';
import { giveWay, type IsBusy } from '#runtime/give-way.ts';
import { answerStream } from '../../engine/answer-stream.ts';

/** Beyond that callers are refused at once. */
const MAX_OPEN = 10;
/** For each page of the log; shoppers go first. */
const GIVE_WAY_MILLISECONDS = 50;

/** Searches of the log as NDJSON, to their very end. */
export interface EventExports {
  /**
   * Reads no faster than the caller takes. Refuses with `too-busy`, or as the first page does. Errors:
   * `EngineUnavailable`.
   */
  open(search: LogSearch, limit: number): Promise<Readable>;
}

type Pages = ReturnType<typeof searchedPages>;

interface Begun {
  readonly search: LogSearch;
  readonly first: Awaited<ReturnType<Pages['next']>>;
  readonly rest: Pages;
}

export const createEventExports = ({
  isBusy = () => false,
  ...log
}: SearchedLog & { readonly isBusy?: IsBusy }): EventExports => {
  let open = 0;
  async function* lines(
    { search, first, rest }: Begun,
    limit: number,
    left: AbortSignal,
  ): AsyncGenerator<string> {
    const isWanted = wantedBy(search.filter);
    let missing = limit;
    for (let page = first; !page.done; page = await rest.next()) {
      if (left.aborted) return;
      const found = page.value.filter(isWanted).slice(0, missing);
      missing -= found.length;
      if (found.length > 0)
        yield maskedEvents(found)
          .map((event) => `${JSON.stringify(event)}\n`)
          .join('');
      if (missing === 0) return;
      await giveWay(isBusy, GIVE_WAY_MILLISECONDS, left);
    }
  }
  return {
    open: async (search, limit) => {
      if (open >= MAX_OPEN)
        throw new Rejection(
          'too-busy',
          `${MAX_OPEN} exports of the log are under way. Please try again when one of them is done.`,
        );
      open++;
      try {
        const rest = searchedPages(log, search);
        // Refused before anything is answered.
        const begun = { search, first: await rest.next(), rest };
        return answerStream(
          (left) => lines(begun, limit, left),
          () => open--,
        );
      } catch (error) {
        open--;
        throw error;
      }
    },
  };
};
