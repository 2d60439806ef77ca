// The entry of the thread that appends to the event log.
import { workerData } from 'node:worker_threads';
import { createAppender, type AppenderOptions } from './event-appender.ts';
import { serveCommits } from './writer-thread.ts';

serveCommits(createAppender(workerData as AppenderOptions));
