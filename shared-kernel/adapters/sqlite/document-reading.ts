// The entry of a thread that reads documents.
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentReader } from './document-reader.ts';
import type { Sql } from './document-query.ts';
import type { Reading } from './reading-threads.ts';

const port = parentPort;
if (port === null) throw new Error('document-reading.ts runs in a worker thread only');
const reader = new DocumentReader((workerData as { readonly file: string }).file);

const read = (question: Sql): Reading => {
  try {
    return { texts: reader.texts(question) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

port.on('message', (question: Sql | 'close') => {
  if (question !== 'close') return port.postMessage(read(question));
  reader.close();
  port.close();
});
