import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Document } from '#kernel/projection.ts';

/** JSON of this many characters parses in a few milliseconds. */
const PARSED_IN_ONE_TURN = 500_000;

/** Many large documents are parsed in several turns of the event loop. */
export async function parseInTurns<Doc extends Document>(texts: readonly string[]): Promise<readonly Doc[]> {
  const documents: Doc[] = [];
  let characters = 0;
  for (const text of texts) {
    if (characters > PARSED_IN_ONE_TURN) {
      await nextTurn();
      characters = 0;
    }
    characters += text.length;
    documents.push(JSON.parse(text) as Doc);
  }
  return documents;
}
