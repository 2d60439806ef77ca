import { once } from 'node:events';
import { status as code, type ServerWritableStream } from '@grpc/grpc-js';
import type { DoubleFaults } from './double-faults.ts';
import type { DoubleLog, LoggedEvent } from './double-log.ts';
import { shared, streams } from './protocol.ts';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

const BACKWARDS = 1;
/** Events that the server looks at before it says how far a filtered subscription got. */
const PAGE = 32;
const TICKS_OF_2020 = '15778368000000000';

/** Streams.Read: a page of a stream or of all, or a subscription to all. */
export const answerRead = async (log: DoubleLog, faults: DoubleFaults, call: ReadCall): Promise<void> => {
  const options = call.request.getOptions() ?? new streams.ReadReq.Options();
  await faults.answering();
  if (options.hasSubscription()) return answerSubscription(log, faults, call, options);
  const isBackwards = options.getReadDirection() === BACKWARDS;
  const asked = options.getStream();
  if (asked) {
    const name = Buffer.from(asked.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    if (log.stream(name).length === 0) call.write(notFound(asked.getStreamIdentifier()));
  }
  const found = asked ? pageOfStream(log, asked, isBackwards) : pageOfAll(log, options, isBackwards);
  let count = Number(options.getCount());
  for (const event of found) {
    if (count-- === 0) break;
    call.write(eventMessage(event));
  }
  call.end();
};

const notFound = (stream: shared.StreamIdentifier | undefined): streams.ReadResp =>
  new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound().setStreamIdentifier(stream));

/** Both directions include the revision. */
const pageOfStream = (
  log: DoubleLog,
  asked: streams.ReadReq.Options.StreamOptions,
  isBackwards: boolean,
): Iterable<LoggedEvent> => {
  const name = Buffer.from(asked.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
  const events = log.stream(name);
  if (!isBackwards) return events.slice(asked.hasRevision() ? Number(asked.getRevision()) : 0);
  return events.slice(0, asked.hasRevision() ? Number(asked.getRevision()) + 1 : undefined).toReversed();
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

const filterOf = (options: streams.ReadReq.Options): ((event: LoggedEvent) => boolean) => {
  const filter = options.getFilter();
  const expression = filter?.getEventType() ?? filter?.getStreamIdentifier();
  if (!filter || !expression) return () => true;
  const what = (event: LoggedEvent): string => (filter.hasEventType() ? event.type : event.stream);
  if (expression.getRegex() !== '') {
    const regex = new RegExp(expression.getRegex());
    return (event) => regex.test(what(event));
  }
  return (event) => expression.getPrefixList().some((prefix) => what(event).startsWith(prefix));
};

/**
 * Excludes the position. A filtered one is told a checkpoint when it has caught up and whenever the server has looked
 * at so many events; here it comes early and lies beyond the event that is sent next, so that whoever began again there
 * would miss that event.
 */
const answerSubscription = async (
  log: DoubleLog,
  faults: DoubleFaults,
  call: ReadCall,
  options: streams.ReadReq.Options,
): Promise<void> => {
  const ended = new AbortController();
  call.on('cancelled', () => ended.abort());
  const forget = faults.onDrop((how) => {
    ended.abort();
    if (how === 'as if at its end') call.end();
    else call.emit('error', { code: code.ABORTED, details: 'dropped' });
  });
  const send = async (message: streams.ReadResp): Promise<void> => {
    ended.signal.throwIfAborted();
    if (message.hasEvent()) faults.sentToSubscriptions++;
    if (!call.write(message)) await once(call, 'drain', { signal: ended.signal });
  };
  try {
    await send(
      new streams.ReadResp().setConfirmation(
        new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('double'),
      ),
    );
    await follow(log, faults, options, send, ended);
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    forget();
  }
};

const follow = async (
  log: DoubleLog,
  faults: DoubleFaults,
  options: streams.ReadReq.Options,
  send: (message: streams.ReadResp) => Promise<void>,
  ended: AbortController,
): Promise<void> => {
  const matches = filterOf(options);
  const from = options.getAll()?.getPosition()?.getCommitPosition();
  let index = from === undefined ? 0 : log.indexFrom(Number(from) + 1);
  const interval =
    (options.getFilter()?.getMax() ?? PAGE) * (options.getFilter()?.getCheckpointintervalmultiplier() ?? 1);
  let looked = 0;
  let isCaughtUp = false;
  for (;;) {
    await faults.answering();
    const page = log.all.slice(index, index + PAGE);
    const end = page.at(-1);
    if (end === undefined) {
      if (!isCaughtUp) await send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      isCaughtUp = true;
      if (index === log.all.length) await log.changed(ended.signal);
      continue;
    }
    index += page.length;
    const found = page.filter(matches);
    const last = found.pop();
    for (const event of found) await send(eventMessage(event));
    looked += page.length;
    const goesLive = !isCaughtUp && index === log.all.length;
    if (options.hasFilter() && (looked >= interval || goesLive || faults.dropsAtCheckpoint)) {
      looked = 0;
      await send(checkpointAt(end.position));
      faults.checkpointSent();
    }
    if (last) await send(eventMessage(last));
  }
};

const checkpointAt = (position: number): streams.ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );

/** A message is built and serialised once, however many read it. */
const eventMessages = new WeakMap<LoggedEvent, streams.ReadResp>();

const eventMessage = (event: LoggedEvent): streams.ReadResp => {
  const known = eventMessages.get(event);
  if (known) return known;
  const message = buildEventMessage(event);
  const bytes = message.serializeBinary();
  message.serializeBinary = () => bytes;
  eventMessages.set(event, message);
  return message;
};

const buildEventMessage = (event: LoggedEvent): streams.ReadResp => {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(event.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(event.stream)))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.transaction))
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  record
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', TICKS_OF_2020);
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(record).setCommitPosition(String(event.position)),
  );
};
