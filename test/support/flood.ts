import type { ServerResponse } from 'node:http';

const chunk = Buffer.alloc(64 * 1024, 'x');

/** Answers with a gigabyte, for as long as it is read. */
export const flood = (response: ServerResponse): void => {
  let left = 1024 ** 3;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
};
