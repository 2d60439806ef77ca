import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { newId } from '#kernel/ids.ts';
import { NO_STREAM, type StoredEvent } from '#ports/event-store.ts';
import { bareExpress, inTurn, serve } from './bare-express.ts';
import { addPath } from './shopper.ts';

/*
 * The floor of an add: bare Express as in ceiling.ts, on the shop's own adapters and with its durability. Each request
 * appends an event to a log at FULL, has a document written, which it does not wait for, and answers: no domain, no
 * prices, no checks. `node floor.ts <file> <folder>`: the file holds answers and events of the shop's own adds, in the
 * folder log and documents are made.
 */

export interface AddSamples {
  readonly answers: readonly string[];
  readonly events: readonly Pick<StoredEvent, 'type' | 'data' | 'metadata'>[];
}

/** Adds to one basket, as the load's shoppers do on average. */
const ADDS = 3;
const collection = 'baskets';

const [, , file, folder] = process.argv;
if (file === undefined || folder === undefined) throw new Error('floor.ts needs a file and a folder');
const { answers, events } = JSON.parse(readFileSync(file, 'utf8')) as AddSamples;
const nextAnswer = inTurn(answers);
const log = await openSqliteEventStore({ file: join(folder, 'events.db') });
const documents = await openSqliteDocumentStore({ file: join(folder, 'read.db'), synchronous: 'NORMAL' });
await documents.declare(collection);

interface Basket {
  readonly stream: string;
  readonly revision: number;
}

/** Those that no request is at. */
const idle: Basket[] = [];
let at = 0;

const app = bareExpress();
app.post(addPath, async (_request, response) => {
  const { stream, revision: before } = idle.pop() ?? {
    stream: `basket-${randomUUID()}`,
    revision: NO_STREAM,
  };
  const { type = '', data = '', metadata = '' } = events[at++ % events.length] ?? {};
  const { revision, position } = await log.append(stream, before, [{ id: newId(), type, data, metadata }]);
  const answer = nextAnswer() as object;
  void documents.write([{ collection, put: { ...answer, _id: stream }, position }]);
  response.json(answer);
  if (revision < ADDS - 1) idle.push({ stream, revision });
});
serve(app);
