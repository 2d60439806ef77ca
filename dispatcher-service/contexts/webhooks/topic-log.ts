import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Recorded } from '#kernel/event.ts';
import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import { instantOf } from '#log/log-span.ts';
import type { PersonalTexts } from '#log/personal-texts.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import type { TopicKey, TopicMessage } from '#topics/topics.ts';
import { olderIdsUpTo } from '../../engine/follower-checkpoint.ts';
import { giveWay, type IsBusy } from '../../engine/give-way.ts';
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

/** What the log has to say, whether or not a delivery was made of it. Errors: `EngineUnavailable`. */
export interface TopicLog {
  /** Stretch by stretch after a position, up to the end that the log has by then. Other work gets its turns. */
  after(audience: Audience, position: number): AsyncGenerator<Stretch>;
  /** Position of the last event. */
  head(): Promise<number>;
}

export interface TopicLogOptions {
  readonly store: Pick<EventStore, 'readAll' | 'head'>;
  readonly codec: EventDecoder;
  readonly stateStore: DocumentStore;
  readonly personalTexts: Pick<PersonalTexts, 'sealers'>;
  readonly topics: {
    readonly messagesOf: (event: Recorded) => readonly TopicMessage[];
    readonly eventTypes: ReadonlyMap<string, readonly TopicKey[]>;
  };
  /** Whether this process has callers who come first. Default: it has none. */
  readonly isBusy?: IsBusy;
}

/** Events that are read and decoded in one turn of the event loop. */
const READ_AT_ONCE = 200;
const GIVE_WAY_MILLISECONDS = 50;

export const createTopicLog = (options: TopicLogOptions): TopicLog => {
  const { store, stateStore, isBusy = () => false } = options;
  const never = new AbortController().signal;
  return {
    head: () => store.head(),
    after: async function* (audience, after) {
      const olderUpTo = await olderIdsUpTo(stateStore, WEBHOOK_DELIVERIES);
      for (let position = after; ;) {
        const page = await store.readAll(position, READ_AT_ONCE);
        const last = page.at(-1);
        if (!last) return;
        yield {
          said: await saidIn(options, page, audience, olderUpTo),
          upTo: last.position,
          size: page.length,
          recordedUpTo: instantOf(last),
        };
        position = last.position;
        await nextTurn();
        await giveWay(isBusy, GIVE_WAY_MILLISECONDS, never);
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
    throw new Error(
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
