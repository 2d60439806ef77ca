import { plainCipher } from '#test/support/plain-cipher.ts';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Delivery } from '#topics/webhook-delivery.ts';
import {
  deliveriesCollection,
  counterCollection,
  type SubscriptionCounters,
} from '#topics/webhook-delivery.ts';
import { dispatchWebhooks, type WebhookSettings } from '#dispatcher/contexts/webhooks/dispatch-webhooks.ts';
import { createFilterMatcher } from '#dispatcher/contexts/webhooks/filter.ts';
import { openReplays } from '#dispatcher/contexts/webhooks/replays/open-replays.ts';
import { createTopicLog, type TopicLogOptions } from '#dispatcher/contexts/webhooks/topic-log.ts';
import type { Sender } from '#ports/sender.ts';
import { createSender } from '#runtime/send.ts';
import { createResolver } from '#runtime/check-target.ts';
import { createFeed } from '#log/feed.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { followReference } from '#log/follow-reference.ts';
import { followTimes } from '#projection/engine/time-index.ts';
import type { JobSummary } from '#runtime/job-runner.ts';
import { createLeases } from '#runtime/leases.ts';
import { webhookEvents } from '#events/webhook.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createWebhookReference, type WebhookSubscription } from '#reference/webhooks.reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { webhookSubscribed } from './builders/webhook.ts';
import { appendPlain, plainDecoder, silentLog } from './plain-log.ts';

/** What lives longer than a process. */
export interface WebhookStores {
  readonly log: EventStore;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
}

export const memoryStores = (): WebhookStores => ({
  log: createMemoryEventStore(),
  stateStore: createMemoryDocumentStore(),
  bus: createMemoryBus(),
});

export const at = '2026-03-01T12:00:00.000Z';

/** A shop's time that stands still until it is moved. */
export const movableClock = (start = Date.parse(at)) => {
  let now = start;
  return {
    now: () => now,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
  };
};

const defaultSettings: WebhookSettings = {
  maxRetries: 5,
  retryDelaysSeconds: [60, 300, 900, 3600, 14_400],
  maxPayloadSizeBytes: 1_000_000,
  deliveryIntervalSeconds: 10,
  deliveryLogRetentionDays: 30,
};

export interface WebhookRuntimeOptions {
  readonly stores?: WebhookStores;
  readonly clock?: ReturnType<typeof movableClock>;
  readonly settings?: Partial<WebhookSettings>;
  /** Instead of real connections. */
  readonly sender?: Sender;
  /** False: another process works on the same stores. Default true. */
  readonly isOnlyWriter?: boolean;
}

const applicationKey = Buffer.alloc(32, 1);

export const secret = 'c2VjcmV0IG9mIHRoZSB0ZXN0IHNob3Agb2YgMzIgYnl0ZXM=';

export const subscribed = (targetUrl: string, more: Parameters<typeof webhookSubscribed>[0] = {}) =>
  webhookSubscribed({ topic: 'customer.created', targetUrl, signingSecret: secret, at, ...more });

const changed = (
  current: WebhookSubscription,
  more: { readonly isActive?: boolean; readonly maxConcurrent?: number },
) => {
  const {
    id: _id,
    topic: _topic,
    dateCreated: _created,
    dateUpdated: _updated,
    signingSecret: _,
    ...rest
  } = current;
  return webhookEvents.create.WebhookSubscriptionChanged({ ...rest, ...more, at });
};

export const unsubscribed = () => webhookEvents.create.WebhookUnsubscribed({ at });

/** An event of the tests' own topic table: it says what it holds, under `customer.created`. */
export const registered = (name: string): DomainEvent => ({ type: 'Registered', data: { name } });

const topics: TopicLogOptions['topics'] = {
  eventTypes: new Map([['Registered', ['customer.created'] as const]]),
  messagesOf: ({ id, data, type }) =>
    type === 'Registered'
      ? [
          {
            topic: 'customer.created',
            entityType: 'Customer',
            entityId: id,
            data: data as Readonly<Record<string, unknown>>,
          },
        ]
      : [],
};

/** A dispatcher without HTTP of its own, on these stores; what it sends goes to real receivers. */
export const openWebhooks = async (options: WebhookRuntimeOptions = {}) => {
  const { stores = memoryStores(), clock = movableClock(), isOnlyWriter = true } = options;
  const { log, stateStore, bus } = stores;
  const feed = createFeed({ store: log, codec: plainDecoder(), clock, log: silentLog });
  const webhooks = createWebhookReference(plainCipher);
  const follower = await followReference({ parts: [webhooks], feed, stateStore, log: silentLog });
  const sender =
    options.sender ??
    createSender({ policy: { allowLoopback: true, allowPrivate: false }, resolve: createResolver() });
  const settings = { ...defaultSettings, ...options.settings };
  const leases = createLeases({ stateStore, instanceId: newId(), isOnlyWriter });
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const personalTexts = createPersonalTexts(keys, applicationKey);
  const readStore = createMemoryDocumentStore();
  const times = await followTimes({ feed, store: log, readStore, log: silentLog });
  const codec = plainDecoder();
  const topicLog = createTopicLog({ store: log, codec, stateStore, readStore, personalTexts, topics });
  const dispatch = await dispatchWebhooks({
    feed,
    personalTexts,
    stateStore,
    bus,
    leases,
    clock,
    follower,
    webhooks,
    sender,
    settings,
    topics,
    isOnlyWriter,
    log: { ...silentLog, debug: () => undefined },
  });
  const { replays, runner } = await openReplays({
    ...{ stateStore, readStore, clock, webhooks, topicLog, settings, leases, personalTexts, dispatch },
    reference: follower,
    matches: createFilterMatcher(() => undefined),
    log: silentLog,
  });
  await feed.start();

  const deliveries = async (subscriptionId?: string): Promise<readonly Delivery[]> => {
    const found = await stateStore.find<Delivery>(deliveriesCollection);
    return found.filter((one) => subscriptionId === undefined || one.subscriptionId === subscriptionId);
  };
  return {
    stores,
    clock,
    personalTexts,
    topicLog,
    replays,
    runner,
    /** Resolves when the index of time knows all that has been appended. */
    timesKnown: async () => times.waitFor(await log.head(), 5000),
    dispatch,
    webhooks,
    follower,
    sender,
    settings,
    /** Subscribes and returns the id. */
    subscribe: async (targetUrl: string, more: Parameters<typeof subscribed>[1] = {}): Promise<string> => {
      const id = newId();
      await appendPlain(log, streamOf.webhookSubscription(id), [subscribed(targetUrl, more)]);
      return id;
    },
    /** Resolves with the position once it is known here. */
    change: async (id: string, more: Parameters<typeof changed>[1]): Promise<number> => {
      const current = webhooks.subscription(id);
      if (!current) throw new Error(`no subscription ${id}`);
      const position = await appendPlain(log, streamOf.webhookSubscription(id), [changed(current, more)]);
      await follower.waitFor(position, 10_000);
      return position;
    },
    unsubscribe: (id: string) => appendPlain(log, streamOf.webhookSubscription(id), [unsubscribed()]),
    /** Appends one event for each name and returns the last position. */
    register: (...names: readonly string[]) => appendPlain(log, `customer-${newId()}`, names.map(registered)),
    /** Waits until everything is delivered that is due. */
    settle: async (timeoutMs = 30_000): Promise<boolean> =>
      (await runner.idle(timeoutMs)) && dispatch.settled(await log.head(), timeoutMs),
    runJob: async (name: string): Promise<JobSummary> => {
      const job = dispatch.jobs.find((one) => one.name === name);
      if (!job) throw new Error(`no job ${name}`);
      return job.runOnce(clock.now());
    },
    deliveries,
    counters: (id: string) => stateStore.get<SubscriptionCounters>(counterCollection, id),
    stop: async (): Promise<void> => {
      await runner.stop();
      await dispatch.stop();
      sender.close();
      await times.parts.stop?.();
      await follower.stop();
      await feed.stop();
    },
  };
};

export type WebhookRuntime = Awaited<ReturnType<typeof openWebhooks>>;
