// A writer thread that folds the log beside the file after every few appends: a kill often meets it there.
import { workerData } from 'node:worker_threads';
import { createAppender, type AppenderOptions } from '#adapters/sqlite/event-appender.ts';
import { serveCommits } from '#adapters/sqlite/writer-thread.ts';

const appender = createAppender(workerData as AppenderOptions);
serveCommits({
  ...appender,
  commit: (requests) => {
    const outcomes = appender.commit(requests);
    appender.fold();
    return outcomes;
  },
});
