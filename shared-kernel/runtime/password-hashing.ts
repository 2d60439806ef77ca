// The entry of a thread that hashes passwords.
import { scryptSync, type ScryptOptions } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HashResponse, HashQuestion } from './password-threads.ts';

const port = parentPort;
if (port === null) throw new Error('password-hashing.ts runs in a worker thread only');

/** About a tenth of a busy processor, and all of an idle one. */
const NICENESS = 10;

const throttle = (): void => {
  // Linux lowers the priority of the calling thread; other systems that of the whole process.
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // If the platform refuses, hashing competes with shoppers.
  }
};

const derive = ({ password, salt, keyBytes, logN, r, p }: HashQuestion): HashResponse => {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
  try {
    return { key: scryptSync(password, salt, keyBytes, options) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

throttle();
port.on('message', (question: HashQuestion | 'close') => {
  if (question === 'close') port.close();
  else port.postMessage(derive(question));
});
