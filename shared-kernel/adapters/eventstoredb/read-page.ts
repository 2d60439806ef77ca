import type { StoredEvent } from '#ports/event-store.ts';
import type { Node } from './node.ts';
import type { streams } from './protocol.ts';
import { eventIn } from './read-messages.ts';

export interface Page {
  readonly events: readonly StoredEvent[];
  /** The server knows no such stream. */
  readonly isStreamMissing: boolean;
}

export interface PageRequest {
  readonly message: streams.ReadReq;
  /** In milliseconds since 1970. */
  readonly deadline: number;
  /** Told whenever something arrives. */
  readonly heard: () => void;
  /** The last event that is wanted, should it come before the end of the page. */
  readonly isLast?: (event: StoredEvent) => boolean;
}

/** Reads one page, until the server ends it or the last event that is wanted has come. */
export const readPage = async (
  node: Node,
  { message, deadline, heard, isLast }: PageRequest,
): Promise<Page> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const events: StoredEvent[] = [];
  let isStreamMissing = false;
  const call = node.read(message, deadline);
  call.on('data', (response) => {
    heard();
    try {
      if (response.hasStreamNotFound()) isStreamMissing = true;
      const event = eventIn(response);
      if (!event) return;
      events.push(event);
      if (!isLast?.(event)) return;
      resolve();
    } catch (error) {
      reject(error);
    }
    call.cancel();
  });
  call.on('error', reject);
  call.on('end', resolve);
  const forget = node.onLeft((reason) => {
    reject(reason);
    call.cancel();
  });
  try {
    await promise;
  } finally {
    forget();
  }
  return { events, isStreamMissing };
};
