import type { LoggedEvent } from './double-log.ts';
import { shared, streams } from './protocol.ts';

const TICKS_OF_2020 = '15778368000000000';

/** A message is built and serialised once, however many read it. */
const eventMessages = new WeakMap<LoggedEvent, streams.ReadResp>();

export const eventMessage = (event: LoggedEvent): streams.ReadResp => {
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

export const confirmation = (): streams.ReadResp =>
  new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('double'),
  );

export const caughtUp = (): streams.ReadResp =>
  new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());

export const checkpointAt = (position: number): streams.ReadResp =>
  new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position)),
  );

/** Which events a request asks for. */
export const filterOf = (options: streams.ReadReq.Options): ((event: LoggedEvent) => boolean) => {
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
