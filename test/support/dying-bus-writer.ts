// A writer thread that dies around the commit of a message with the value DieBeforeCommit or DieAfterCommit, once.
import { existsSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import {
  createBusCommitter,
  type BusCommitterOptions,
  type BusOperation,
} from '#adapters/sqlite/bus-committer.ts';
import { serveCommits } from '#adapters/sqlite/writer-thread.ts';

const options = workerData as BusCommitterOptions;
const committer = createBusCommitter(options);
const diedBefore = `${options.file}.died`;

const dieOnceAt = (operations: readonly BusOperation[], fatal: string): void => {
  const isFatal = operations.some(
    (operation) => operation.kind === 'publish' && operation.messages.some(({ value }) => value === fatal),
  );
  if (!isFatal || existsSync(diedBefore)) return;
  writeFileSync(diedBefore, '');
  process.exit(1);
};

serveCommits({
  ...committer,
  commit: (operations: readonly BusOperation[]) => {
    dieOnceAt(operations, 'DieBeforeCommit');
    const counts = committer.commit(operations);
    dieOnceAt(operations, 'DieAfterCommit');
    return counts;
  },
});
