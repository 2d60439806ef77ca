// Appends to the log named on the command line from eight writers, and prints the id of each event once it was
// acknowledged. The log beside the file is folded into it all the time.
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { newId } from '#kernel/ids.ts';
import { NO_STREAM } from '#ports/event-store.ts';

const store = await openSqliteEventStore({
  file: process.argv[2] ?? '',
  writerEntry: new URL('./folding-event-writer.ts', import.meta.url),
});

const write = async (): Promise<never> => {
  const stream = `thing-${newId()}`;
  for (let revision = NO_STREAM; ; revision++) {
    const event = { id: newId(), type: 'SomethingHappened', data: '{}', metadata: '{}' };
    await store.append(stream, revision, [event]);
    process.stdout.write(`${event.id}\n`);
  }
};

await Promise.all(Array.from({ length: 8 }, write));
