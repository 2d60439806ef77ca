import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';

export interface Disorder {
  /** Decides what befalls the next delivered page; called once for each. */
  readonly next: () =>
    | 'nothing'
    | 'twice'
    | 'again from before'
    | 'empty first'
    | 'cut in the middle'
    | 'ends';
}

/**
 * A log whose subscription misbehaves as servers do: pages that come twice, old events after a reconnect, pages without
 * an event (a filter's checkpoint), a connection that breaks in the middle of a page or just ends. Nothing is left out:
 * what was not delivered comes after the reader has come back.
 */
export const disorderlyLog = (log: EventStore, disorder: Disorder): EventStore => ({
  append: (stream, expectedRevision, events) => log.append(stream, expectedRevision, events),
  readStream: (stream, options) => log.readStream(stream, options),
  readAll: (after, limit) => log.readAll(after, limit),
  eventAt: (position) => log.eventAt(position),
  head: () => log.head(),
  isOnlyWriter: log.isOnlyWriter,
  ping: () => log.ping(),
  close: () => log.close(),
  subscribe: (after, signal) => delivered(log, disorder, after, signal),
});

async function* delivered(
  log: EventStore,
  disorder: Disorder,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let before: readonly StoredEvent[] = [];
  for await (const page of log.subscribe(after, signal)) {
    const half = Math.ceil(page.length / 2);
    switch (disorder.next()) {
      case 'nothing':
        yield page;
        break;
      case 'twice':
        yield page;
        yield page;
        break;
      case 'again from before':
        yield [...before, ...page];
        break;
      case 'empty first':
        yield [];
        yield page;
        yield [];
        break;
      case 'cut in the middle':
        yield page.slice(0, half);
        throw new EngineUnavailable('the connection broke');
      case 'ends':
        yield page.slice(0, half);
        return;
    }
    before = page;
  }
}
