import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Prints, and waits while the reader is slower. */
export type Print = (text: string) => Promise<void>;

export const printTo =
  (output: Writable): Print =>
  async (text) => {
    if (!output.write(text)) await once(output, 'drain');
  };
