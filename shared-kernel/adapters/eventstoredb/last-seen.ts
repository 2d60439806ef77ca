import type { StoredEvent } from '#ports/event-store.ts';
import type { Node } from './node.ts';
import { isSystemEvent, readStreamFrom } from './read-messages.ts';
import { readPage } from './read-page.ts';

/** Where an event is in the log, and which one it is. */
export type SeenEvent = Pick<StoredEvent, 'stream' | 'revision' | 'position' | 'id'>;

/** The last event of the log that this process has read, heard or appended. */
export class LastSeen {
  #event: SeenEvent | null = null;

  get event(): SeenEvent | null {
    return this.#event;
  }

  saw(event: SeenEvent): void {
    if (event.position > (this.#event?.position ?? 0)) this.#event = event;
  }

  /** `events` of a page, in either direction. The server's own are passed over: nothing is decided on them. */
  sawPage(events: readonly StoredEvent[]): void {
    const [first] = events;
    const last = events.at(-1);
    if (!first || !last) return;
    const newest =
      first.position < last.position
        ? events.findLast((event) => !isSystemEvent(event))
        : events.find((event) => !isSystemEvent(event));
    if (newest) this.saw(newest);
  }
}

/**
 * Whether the node has the event where it was seen. A leader of before has not, even where its own log is longer: what
 * lies there is a tail that no other node took. Rejects when the node does not answer in time.
 */
export const holdsEvent = async (
  node: Node,
  { stream, revision, position, id }: SeenEvent,
  milliseconds: number,
): Promise<boolean> => {
  const { events } = await readPage(node, {
    message: readStreamFrom(stream, 'forwards', revision, 1),
    deadline: Date.now() + milliseconds,
    heard: () => undefined,
  });
  return events[0]?.id === id && events[0].position === position;
};
