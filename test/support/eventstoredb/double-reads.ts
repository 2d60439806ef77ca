import { once } from 'node:events';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { DoubleCalls } from './double-calls.ts';
import type { DoubleFaults } from './double-faults.ts';
import type { DoubleLog, LoggedEvent } from './double-log.ts';
import { eventMessage, filterOf } from './double-messages.ts';
import {
  accessDenied,
  invalidPosition,
  noPlace,
  refusalOf,
  streamDeleted,
  type Standing,
} from './double-standing.ts';
import { respondToSubscription } from './double-subscriptions.ts';
import { type shared, streams } from './protocol.ts';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

export interface DoubleReadsOptions {
  /** The log that the node has by now. */
  readonly logNow: () => DoubleLog;
  readonly faults: DoubleFaults;
  readonly standing: Standing;
  readonly calls: DoubleCalls;
}

const BACKWARDS = 1;

/** Streams.Read: a page of a stream or of all, or a subscription to all. */
export const respondToRead = async (options: DoubleReadsOptions, call: ReadCall): Promise<void> => {
  const { logNow, faults, standing, calls } = options;
  const asked = call.request.getOptions() ?? new streams.ReadReq.Options();
  const stream = asked.getStream();
  calls.count(asked.hasSubscription() ? 'subscribe' : stream ? 'readStream' : 'readAll');
  await faults.answering();
  const wantsLeader = call.metadata.get('requires-leader')[0] === 'true';
  const refused = wantsLeader ? refusalOf(faults, standing) : null;
  if (refused) return void call.emit('error', refused);
  if (!stream && !faults.mayReadAll) return void call.emit('error', accessDenied());
  const log = logNow();
  const position = asked.getAll()?.getPosition()?.getCommitPosition();
  if (position !== undefined && !log.isPlace(Number(position)))
    return void call.emit(
      'error',
      faults.namesInvalidPositions ? invalidPosition() : noPlace({ isFiltered: asked.hasFilter() }),
    );
  if (asked.hasSubscription()) return respondToSubscription(log, faults, call, asked);
  const isBackwards = asked.getReadDirection() === BACKWARDS;
  if (stream) {
    const name = nameOf(stream);
    if (log.isTombstoned(name)) return void call.emit('error', streamDeleted(name));
    if (log.isGone(name)) call.write(notFound(stream.getStreamIdentifier()));
  }
  const found = stream ? pageOfStream(log, stream, isBackwards) : pageOfAll(log, asked, isBackwards);
  await sendPage(call, found, Number(asked.getCount()));
};

/** As fast as the client takes it, and no further once it has turned away. */
const sendPage = async (call: ReadCall, found: Iterable<LoggedEvent>, count: number): Promise<void> => {
  const gone = new AbortController();
  call.once('cancelled', () => gone.abort());
  let left = count;
  for (const event of found) {
    if (left-- === 0) break;
    if (!call.write(eventMessage(event)))
      await once(call, 'drain', { signal: gone.signal }).catch(() => undefined);
    if (gone.signal.aborted) return;
  }
  call.end();
};

const nameOf = (stream: streams.ReadReq.Options.StreamOptions): string =>
  Buffer.from(stream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

const notFound = (stream: shared.StreamIdentifier | undefined): streams.ReadResp =>
  new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound().setStreamIdentifier(stream));

/** Both directions include the revision. */
const pageOfStream = (
  log: DoubleLog,
  asked: streams.ReadReq.Options.StreamOptions,
  isBackwards: boolean,
): Iterable<LoggedEvent> => {
  const events = log.stream(nameOf(asked));
  const revision = asked.hasRevision() ? Number(asked.getRevision()) : null;
  if (!isBackwards) return revision === null ? events : events.filter((event) => event.revision >= revision);
  return events.filter((event) => revision === null || event.revision <= revision).toReversed();
};

/** Forwards includes the position, backwards does not. */
function* pageOfAll(
  log: DoubleLog,
  options: streams.ReadReq.Options,
  isBackwards: boolean,
): Iterable<LoggedEvent> {
  const matches = filterOf(options);
  const position = options.getAll()?.getPosition()?.getCommitPosition();
  const { all } = log;
  if (isBackwards) {
    const end = position === undefined ? all.length : log.indexFrom(Number(position));
    for (let index = end - 1; index >= 0; index--) yield* matching(all[index], matches);
  } else {
    const start = position === undefined ? 0 : log.indexFrom(Number(position));
    for (let index = start; index < all.length; index++) yield* matching(all[index], matches);
  }
}

const matching = (event: LoggedEvent | undefined, matches: (event: LoggedEvent) => boolean): LoggedEvent[] =>
  event && matches(event) ? [event] : [];
