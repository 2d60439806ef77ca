import { Readable } from 'node:stream';

/**
 * Texts as a stream that is read as fast as it is taken. `Readable.from` would let what reads go on until it has found
 * something: here the signal tells it that the caller has left.
 */
export const answerStream = (
  texts: (left: AbortSignal) => AsyncGenerator<Uint8Array | string>,
  onEnd: () => void,
): Readable => {
  const left = new AbortController();
  const reading = texts(left.signal);
  const stream = new Readable({
    read: () => {
      reading.next().then(
        ({ value, done }) => stream.push(done ? null : value),
        (error: unknown) => stream.destroy(error as Error),
      );
    },
    destroy: (error, done) => {
      left.abort();
      onEnd();
      done(error);
    },
  });
  return stream;
};
