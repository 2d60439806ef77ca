// A writer thread that dies around the commit of an event of type DieBeforeCommit or DieAfterCommit.
import { workerData } from 'node:worker_threads';
import { createAppender, type AppenderOptions, type AppendRequest } from '#adapters/sqlite/event-appender.ts';
import { serveCommits } from '#adapters/sqlite/writer-thread.ts';

const appender = createAppender(workerData as AppenderOptions);
const holds = (requests: readonly AppendRequest[], type: string): boolean =>
  requests.some(({ events }) => events.some((event) => event.type === type));

serveCommits({
  ...appender,
  commit: (requests: readonly AppendRequest[]) => {
    if (holds(requests, 'DieBeforeCommit')) process.exit(1);
    const outcomes = appender.commit(requests);
    if (holds(requests, 'DieAfterCommit') && outcomes.some(({ kind }) => kind === 'appended'))
      process.exit(1);
    return outcomes;
  },
});
