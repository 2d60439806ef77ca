// The entry of the thread that writes to the bus.
import { workerData } from 'node:worker_threads';
import { createBusCommitter, type BusCommitterOptions } from './bus-committer.ts';
import { serveCommits } from './writer-thread.ts';

serveCommits(createBusCommitter(workerData as BusCommitterOptions));
