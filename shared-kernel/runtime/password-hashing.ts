// The entry of a thread that hashes passwords.
import { scryptSync, type ScryptOptions } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { lowerPriority } from './low-priority.ts';
import type { HashResponse, HashQuestion } from './password-threads.ts';

const port = parentPort;
if (port === null) throw new Error('password-hashing.ts runs in a worker thread only');

const derive = ({ password, salt, keyBytes, logN, r, p }: HashQuestion): HashResponse => {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
  try {
    return { key: scryptSync(password, salt, keyBytes, options) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

lowerPriority();
port.on('message', (question: HashQuestion | 'close') => {
  if (question === 'close') port.close();
  else port.postMessage(derive(question));
});
