// The entry of the thread that writes documents.
import { workerData } from 'node:worker_threads';
import { createDocumentCommitter, type DocumentCommitterOptions } from './document-committer.ts';
import { serveCommits } from './writer-thread.ts';

serveCommits(createDocumentCommitter(workerData as DocumentCommitterOptions));
