import type { Response } from 'express';
import type { FileBody } from './reply.ts';

/** Read and written at once. */
const CHUNK_BYTES = 256 * 1024;
/** Kept for the next files; more than these are left to the garbage collector. */
const MOST_KEPT = 32;

/**
 * Buffers for files on their way, reused: a new one per chunk would have the garbage collector go through the whole
 * heap for every 64 MB downloaded.
 */
const kept: Buffer[] = [];
const takeBuffer = (): Buffer => kept.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
const giveBack = (buffer: Buffer): void => {
  if (kept.length < MOST_KEPT) kept.push(buffer);
};

/** Writes to a caller, one chunk after another; each resolves once its memory is free, or they have left. */
const writerTo = (response: Response) => {
  let wake: () => void = () => undefined;
  let hasLeft = response.closed;
  response.once('close', () => {
    hasLeft = true;
    wake();
  });
  return {
    hasLeft: () => hasLeft,
    write: (chunk: Buffer): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
        if (hasLeft) resolve();
        else response.write(chunk, () => resolve());
      }),
  };
};

/**
 * Writes a file as fast as the caller reads, and closes it. `begin` is called once its first bytes are there: until
 * then a failure is a response like any other, later it breaks the connection, so that a part never passes for the
 * whole. A caller who goes away ends it.
 */
export const sendBytes = async (response: Response, file: FileBody, begin: () => void): Promise<void> => {
  const to = writerTo(response);
  let [now, next] = [takeBuffer(), takeBuffer()];
  const fill = async (buffer: Buffer, at: number): Promise<number> => {
    const filled = await file.read(buffer, at);
    if (filled === 0) throw new Error('a file has become shorter while it was sent');
    return filled;
  };
  try {
    let filled = file.bytes === 0 ? 0 : await fill(now, 0);
    if (to.hasLeft()) return;
    begin();
    for (let at = filled; filled > 0; at += filled) {
      const ahead = at < file.bytes ? fill(next, at) : Promise.resolve(0);
      // The file is read on while the caller takes what was read before; neither is left alone when the other fails.
      const [read] = await Promise.allSettled([ahead, to.write(now.subarray(0, filled))]);
      if (to.hasLeft()) return;
      if (read.status === 'rejected') throw read.reason;
      filled = read.value;
      [now, next] = [next, now];
    }
    response.end();
  } finally {
    // Of a connection that was broken something may still be on its way.
    if (!to.hasLeft()) for (const buffer of [now, next]) giveBack(buffer);
    await file.close();
  }
};
