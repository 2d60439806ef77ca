import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Recorded } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import { blocksBackwards } from '#log/kept-time-blocks.ts';
import { instantOf } from '#log/log-span.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore, LogMark, StoredEvent } from '#ports/event-store.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import { olderIdsUpTo } from '../../engine/follower-checkpoint.ts';
import { giveWay, type IsBusy } from '#runtime/give-way.ts';
import { sealedEvents, type SealedEvent } from '../../engine/sealed-events.ts';
import { deliveryIdsOf } from './delivery-id.ts';
import { envelopeOf, type Envelope } from './envelope.ts';
import { WEBHOOK_DELIVERIES } from './queue-deliveries.ts';

/** What an event has to say under a topic, as a delivery to one subscription says it. */
export interface Said extends SealedEvent {
  readonly message: TopicMessage;
  readonly envelope: Envelope;
}

/** A stretch of the log, and what it has to say under a topic. */
export interface Stretch {
  /** Event by event, in the order of the log; those with nothing to say are left out. */
  readonly said: readonly (readonly Said[])[];
  /** Position of its last event. */
  readonly upTo: number;
  /** How many events it holds, whatever they say. */
  readonly size: number;
  /** When its last event was recorded, in milliseconds since 1970; null where that cannot be read. */
  readonly recordedUpTo: number | null;
}

/** Who is told what: the ids of deliveries follow from it. */
export interface Audience {
  readonly id: string;
  readonly topic: TopicKey;
}

/** The log holds an event that this release cannot decode. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/**
 * What the log has to say, whether or not a delivery was made of it, stretch by stretch; other work gets its turns.
 * Errors: `EngineUnavailable`, `UnreadableEvent`.
 */
export interface TopicLog {
  /** After a position, up to the end that the log has by then. */
  after(audience: Audience, position: number): AsyncGenerator<Stretch>;
  /**
   * The newest stretches first; within one the order is that of the log. Refuses with `view-being-filled` while the
   * index of time, by which it goes, is filled.
   */
  backwards(audience: Audience): AsyncGenerator<Stretch>;
  /** Position of the last event. */
  head(): Promise<number>;
  /** See `confirmMark`. */
  confirm(mark: LogMark): Promise<LogMark | null>;
}

export interface TopicLogOptions {
  readonly store: Pick<EventStore, 'readAll' | 'head' | 'eventAt'>;
  readonly codec: EventDecoder;
  readonly stateStore: DocumentStore;
  /** Holds the index of time. */
  readonly readStore: Pick<DocumentStore, 'find'>;
  readonly personalTexts: Pick<PersonalTexts, 'sealers'>;
  readonly topics: {
    readonly messagesOf: (event: Recorded) => readonly TopicMessage[];
    readonly eventTypes: ReadonlyMap<string, readonly TopicKey[]>;
  };
  /** Whether this process has callers who come first. Default: it has none. */
  readonly isBusy?: IsBusy;
}

/** Events that are read, and that are decoded, in one turn of the event loop. */
const READ_AT_ONCE = 200;
const DECODED_AT_ONCE = 50;
const GIVE_WAY_MILLISECONDS = 50;

/** Events without an entry in the index of time: more only while it is filled for the first time. */
const MOST_IN_BLOCK = 10_000;

const notFilled = (): Rejection =>
  new Rejection('view-being-filled', 'The index of time is being filled. Please try again shortly.');

export const createTopicLog = (options: TopicLogOptions): TopicLog => {
  const { store, stateStore, readStore, isBusy = () => false } = options;
  const never = new AbortController().signal;

  async function* between(audience: Audience, after: number, upTo: number): AsyncGenerator<Stretch> {
    const olderUpTo = await olderIdsUpTo(stateStore, WEBHOOK_DELIVERIES);
    for (let position = after; position < upTo;) {
      const read = await store.readAll(position, READ_AT_ONCE);
      const page = read.filter((event) => event.position <= upTo);
      const last = page.at(-1);
      if (!last) return;
      const said: (readonly Said[])[] = [];
      for (let first = 0; first < page.length; first += DECODED_AT_ONCE) {
        await nextTurn();
        said.push(
          ...(await saidIn(options, page.slice(first, first + DECODED_AT_ONCE), audience, olderUpTo)),
        );
      }
      yield {
        said,
        upTo: last.position,
        size: page.length,
        recordedUpTo: instantOf(last),
      };
      position = last.position;
      await giveWay(isBusy, GIVE_WAY_MILLISECONDS, never);
    }
  }

  return {
    head: () => store.head(),
    confirm: (mark) => confirmMark(store, mark),
    after: (audience, position) => between(audience, position, Infinity),
    backwards: async function* (audience) {
      for await (const { after, upTo } of blocksBackwards(readStore, await store.head())) {
        const block: Stretch[] = [];
        for await (const stretch of between(audience, after, upTo)) {
          block.push(stretch);
          if (block.length > MOST_IN_BLOCK / READ_AT_ONCE) throw notFilled();
        }
        yield* block.toReversed();
      }
    },
  };
};

const saidIn = async (
  { codec, personalTexts, topics }: TopicLogOptions,
  page: readonly StoredEvent[],
  { id, topic }: Audience,
  olderUpTo: number,
): Promise<readonly (readonly Said[])[]> => {
  const wants = (type: string): boolean => topics.eventTypes.get(type)?.includes(topic) ?? false;
  const chunks = await decodePage(codec, page, { wants, isTimed: false });
  const unread = chunks.find(({ undecodable }) => undecodable !== null);
  if (unread)
    throw new UnreadableEvent(
      `the event at position ${unread.upTo.position} cannot be read: ${unread.undecodable?.message}`,
    );
  const events = await sealedEvents(
    personalTexts,
    chunks.flatMap((chunk) => chunk.events),
  );
  return events.flatMap((sealed) => {
    const { event } = sealed;
    const all = topics.messagesOf(event);
    const idFor = deliveryIdsOf(event, all, event.position <= olderUpTo);
    const said = all
      .filter((message) => message.topic === topic)
      .map((message) => ({
        ...sealed,
        message,
        envelope: envelopeOf(idFor(id, message), message, event.recordedAt),
      }));
    return said.length === 0 ? [] : [said];
  });
};
