import { START, type StoredEvent } from '#ports/event-store.ts';
import { RefusedByServer } from './failures.ts';
import { shared, streams } from './protocol.ts';

type ReadOptions = streams.ReadReq.Options;
type RecordedEvent = streams.ReadResp.ReadEvent.RecordedEvent;

const FORWARDS = 0;
const BACKWARDS = 1;
/** How many events the server looks at before it says how far it got. It must exceed the events asked for. */
const SEARCH_WINDOW = 2000;

const { Options } = streams.ReadReq;

const newOptions = (): ReadOptions =>
  new Options()
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()))
    .setResolveLinks(false)
    .setReadDirection(FORWARDS)
    .setNoFilter(new shared.Empty());

/** System events have types that begin with `$`, whichever stream they are in. */
export const isSystemEvent = ({ type }: Pick<StoredEvent, 'type'>): boolean => type.startsWith('$');

const typesLike = (regex: string): streams.ReadReq.Options.FilterOptions =>
  new Options.FilterOptions()
    .setEventType(new Options.FilterOptions.Expression().setRegex(regex))
    .setMax(SEARCH_WINDOW)
    .setCheckpointintervalmultiplier(1);

const withoutSystemEvents = (): streams.ReadReq.Options.FilterOptions => typesLike('^[^$].*');

/** Types are names of letters and digits. */
const ofTypes = (types: ReadonlySet<string>): streams.ReadReq.Options.FilterOptions =>
  typesLike(`^(?:${[...types].map((type) => type.replaceAll(/\W/g, String.raw`\$&`)).join('|')})$`);

/**
 * An event's place in the whole log. Commit and prepare position are the same for everything appended over gRPC; the
 * server's answers may name another prepare position for all but the first event of an append, and a subscription
 * that began there would yield its first event again.
 */
const allAt = (position: number): streams.ReadReq.Options.AllOptions => {
  const all = new Options.AllOptions();
  if (position === START) return all.setStart(new shared.Empty());
  const place = String(position);
  return all.setPosition(new Options.Position().setCommitPosition(place).setPreparePosition(place));
};

const requestOf = (options: ReadOptions): streams.ReadReq => new streams.ReadReq().setOptions(options);

/** A page of the whole log from a position that is included; of some types only, if they are named. */
export const readAllFrom = (position: number, count: number, types?: ReadonlySet<string>): streams.ReadReq =>
  requestOf(
    newOptions()
      .setAll(allAt(position))
      .setCount(String(count))
      .setFilter(types ? ofTypes(types) : withoutSystemEvents()),
  );

/** What lies at a position of the whole log, the server's own events too. */
export const readAt = (position: number): streams.ReadReq =>
  requestOf(newOptions().setAll(allAt(position)).setCount('1'));

const backwardsFromEnd = (count: number): ReadOptions =>
  newOptions()
    .setAll(new Options.AllOptions().setEnd(new shared.Empty()))
    .setReadDirection(BACKWARDS)
    .setCount(String(count));

/** The last events of the whole log, the server's own too, the last one first. */
export const readBackwards = (count: number): streams.ReadReq => requestOf(backwardsFromEnd(count));

/** The last event of the whole log that is not the server's own. Dear where many of those lie behind it. */
export const readLastOfOurs = (): streams.ReadReq =>
  requestOf(backwardsFromEnd(1).setFilter(withoutSystemEvents()));

/** Catch-up and live; a position is excluded. */
export const subscribeAfter = (position: number): streams.ReadReq =>
  requestOf(
    newOptions()
      .setAll(allAt(position))
      .setSubscription(new Options.SubscriptionOptions())
      .setFilter(withoutSystemEvents()),
  );

/** A page of one stream from a revision that is included; backwards without one: from the end. */
export const readStreamFrom = (
  name: string,
  direction: 'forwards' | 'backwards',
  fromRevision: number | undefined,
  count: number,
): streams.ReadReq => {
  const stream = new Options.StreamOptions().setStreamIdentifier(streamNamed(name));
  if (fromRevision !== undefined) stream.setRevision(String(fromRevision));
  else if (direction === 'forwards') stream.setStart(new shared.Empty());
  else stream.setEnd(new shared.Empty());
  return requestOf(
    newOptions()
      .setStream(stream)
      .setReadDirection(direction === 'forwards' ? FORWARDS : BACKWARDS)
      .setCount(String(count)),
  );
};

export const streamNamed = (name: string): shared.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name));

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** The event of an answer; undefined for a checkpoint, a confirmation and the like. */
export const eventIn = (response: streams.ReadResp): StoredEvent | undefined => {
  const record = response.getEvent()?.getEvent();
  return record && storedEvent(record);
};

const storedEvent = (record: RecordedEvent): StoredEvent => ({
  id: record.getId()?.getString() ?? '',
  type: record.getMetadataMap().get('type') ?? '',
  data: textOf(record.getData_asU8()),
  metadata: textOf(record.getCustomMetadata_asU8()),
  stream: textOf(record.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()),
  revision: Number(record.getStreamRevision()),
  position: positionOf(record.getCommitPosition()),
});

/** Throws where a position is missing: then the server sends 2^64 - 1. */
export const positionOf = (commitPosition: string): number => {
  const position = Number(commitPosition);
  if (!Number.isSafeInteger(position)) {
    throw new RefusedByServer(
      `EventStoreDB answered position ${commitPosition}: reading a stream with positions needs version 22.6 or newer`,
    );
  }
  return position;
};
