import { EngineUnavailable, StreamDamaged, WrongExpectedRevision } from '#ports/engine-errors.ts';
import { NO_STREAM, type AppendResult, type EventToAppend } from '#ports/event-store.ts';
import { exceptionOf, portError, RefusedByServer } from './failures.ts';
import { shared, streams } from './protocol.ts';
import { positionOf, streamNamed } from './read-messages.ts';

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EventToAppend[];
}

/** Declared as JSON, so that the server's own tools show it as such, and sent as the very bytes of our text. */
const fill = <Message extends streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage>(
  message: Message,
  { id, type, data, metadata }: EventToAppend,
): Message => {
  message.setId(new shared.UUID().setString(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  message.setData(Buffer.from(data));
  message.setCustomMetadata(Buffer.from(metadata));
  return message;
};

export const appendMessages = ({ stream, expectedRevision, events }: AppendRequest): streams.AppendReq[] => {
  const options = new streams.AppendReq.Options().setStreamIdentifier(streamNamed(stream));
  if (expectedRevision === NO_STREAM) options.setNoStream(new shared.Empty());
  else options.setRevision(String(expectedRevision));
  return [
    new streams.AppendReq().setOptions(options),
    ...events.map((event) =>
      new streams.AppendReq().setProposedMessage(fill(new streams.AppendReq.ProposedMessage(), event)),
    ),
  ];
};

/** Without a deadline of its own: the server would judge it by its clock, which need not be ours. */
export const batchAppendMessage = (
  correlationId: string,
  { stream, expectedRevision, events }: AppendRequest,
): streams.BatchAppendReq => {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(streamNamed(stream));
  if (expectedRevision === NO_STREAM) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(expectedRevision));
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setOptions(options)
    .setProposedMessagesList(events.map((event) => fill(new streams.BatchAppendReq.ProposedMessage(), event)))
    .setIsFinal(true);
};

export const resultOfAppend = (request: AppendRequest, response: streams.AppendResp): AppendResult => {
  const success = response.getSuccess();
  if (!success) throw conflictOf(request);
  return resultOf(request, success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
};

export const resultOfBatchAppend = (
  request: AppendRequest,
  response: streams.BatchAppendResp,
): AppendResult => {
  const success = response.getSuccess();
  if (success)
    return resultOf(request, success.getCurrentRevision(), success.getPosition()?.getCommitPosition());
  const error = response.getError();
  const details = error?.getDetails();
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion':
      throw conflictOf(request);
    case 'event_store.client.MaximumAppendSizeExceeded':
      throw tooLarge(request);
    case 'event_store.client.StreamDeleted':
      throw new StreamDamaged(request.stream, 'it was deleted');
    case 'event_store.client.AccessDenied':
    case 'event_store.client.BadRequest':
      throw new RefusedByServer(
        `EventStoreDB refused the append to ${request.stream}: ${details.getTypeName()} ${error?.getMessage()}`,
      );
    default:
      throw new EngineUnavailable(`EventStoreDB did not take the append: ${error?.getMessage()}`);
  }
};

/** What the error of a single append, which comes in the trailers of its call, is to the port. */
export const appendError = (request: AppendRequest, error: unknown): Error => {
  switch (exceptionOf(error)) {
    case 'wrong-expected-version':
      return conflictOf(request);
    case 'maximum-append-size-exceeded':
      return tooLarge(request);
    default:
      return portError(error, request);
  }
};

const conflictOf = ({ stream, expectedRevision }: AppendRequest): Error =>
  new WrongExpectedRevision(stream, expectedRevision);

/** Sizes as the server counts them: a type in two bytes a character, data and metadata in theirs. */
const tooLarge = ({ stream, events }: AppendRequest): Error => {
  const size = events.reduce(
    (sum, { type, data, metadata }) =>
      sum + 2 * type.length + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  return new RefusedByServer(
    `an append of ${events.length} events to ${stream} has ${size} bytes, more than the server takes at once (its MaxAppendSize)`,
  );
};

/** In a softly deleted stream the first event follows the hidden ones. */
const resultOf = (
  { stream, expectedRevision, events }: AppendRequest,
  currentRevision: string,
  commitPosition: string | undefined,
): AppendResult => {
  if (commitPosition === undefined) throw new EngineUnavailable('EventStoreDB answered no position yet');
  const revision = Number(currentRevision);
  if (revision !== expectedRevision + events.length)
    throw new StreamDamaged(stream, `it was deleted, and goes on at revision ${revision}`);
  return { revision, position: positionOf(commitPosition) };
};
