import { wrongStretch, type ReplayWish } from '#contracts/webhook-replays.contract.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { notFound } from '#kernel/entity.ts';
import { newId } from '#kernel/ids.ts';
import type { IndexSpec } from '#kernel/projection.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import { positionBefore } from '#log/kept-time-blocks.ts';
import { DuplicateKey, type DocumentStore } from '#ports/document-store.ts';
import type { WebhookReference } from '#reference/webhooks.reference.ts';
import type { TopicLog } from '../topic-log.ts';
import { known } from '../known-subscription.ts';
import { endStatuses, replaysCollection, type Replay } from './replay.ts';

/** What staff may do with replays. Errors: `EngineUnavailable`. */
export interface Replays {
  /**
   * Refuses with `entity-not-found` and `invalid-request`, and with `run-under-way` while the subscription has one.
   */
  start(subscriptionId: string, wish: ReplayWish, askedBy: string): Promise<Replay>;
  /** The newest first. Refuses with `entity-not-found`. */
  list(
    subscriptionId: string,
    page: { readonly skip: number; readonly limit: number },
  ): Promise<{ readonly items: readonly Replay[]; readonly count: number }>;
  /** Refuses with `entity-not-found`. */
  get(subscriptionId: string, replayId: string): Promise<Replay>;
  /** Harmless for one that is over. Refuses with `entity-not-found`. */
  callOff(subscriptionId: string, replayId: string, calledOffBy: string): Promise<Replay>;
}

export interface ReplaysDeps {
  readonly stateStore: DocumentStore;
  /** Holds the index of time. */
  readonly readStore: Pick<DocumentStore, 'find'>;
  readonly clock: Clock;
  readonly webhooks: Pick<WebhookReference, 'subscription'>;
  readonly topicLog: Pick<TopicLog, 'head' | 'confirm'>;
  readonly settings: { readonly deliveryLogRetentionDays: number };
  /** Told that there is something to do. */
  readonly wake: () => void;
}

const indexes: readonly IndexSpec[] = [
  { fields: ['runsFor'], unique: true },
  { fields: ['status', 'dateCreated'] },
  { fields: ['subscriptionId', 'dateCreated'] },
];

const DAY_MILLISECONDS = 86_400_000;
const FORGOTTEN_AT_ONCE = 100;

/** Errors: `EngineUnavailable`. */
export const declareReplays = (stateStore: DocumentStore): Promise<void> =>
  stateStore.declare(replaysCollection, indexes);

/** Those that are over go with the deliveries of their time. */
const forgetOld = ({ stateStore, clock, settings }: ReplaysDeps): Promise<number> => {
  const days = Math.max(1, settings.deliveryLogRetentionDays);
  const dateCreated = { lt: isoInstant(clock.now() - days * DAY_MILLISECONDS) };
  return stateStore.deleteMany(
    replaysCollection,
    { status: { in: endStatuses }, dateCreated },
    FORGOTTEN_AT_ONCE,
  );
};

const begun = async (
  { readStore, clock, webhooks, topicLog }: ReplaysDeps,
  subscriptionId: string,
  { from, to, include }: ReplayWish,
  askedBy: string,
): Promise<Replay> => {
  const subscription = known(webhooks, subscriptionId);
  const now = clock.now();
  const [first, last] = [Date.parse(from), to ? Date.parse(to) : now];
  const problem = wrongStretch(first, last, now);
  if (problem !== null) throw invalidRequest(problem);
  if (!subscription.isActive)
    throw new Rejection('invalid-request', 'The subscription is inactive. Make it active before a replay.');
  const end = await topicLog.head();
  const endMark = await topicLog.confirm({ position: end, eventId: null });
  const begin = Math.min(await positionBefore(readStore, first), end);
  return {
    _id: newId(),
    ...{ subscriptionId, topic: subscription.topic, include, begin, end },
    endEventId: endMark?.eventId ?? null,
    ...{ from: isoInstant(first), to: isoInstant(Math.min(last, now)) },
    ...{ status: 'Running', reached: begin, queued: 0, skipped: 0, message: null },
    ...{ dateCreated: isoInstant(now), dateCompleted: null, runsFor: subscriptionId, askedBy },
  };
};

export const createReplays = (deps: ReplaysDeps): Replays => {
  const { stateStore, wake } = deps;
  const get: Replays['get'] = async (subscriptionId, replayId) => {
    const replay = await stateStore.get<Replay>(replaysCollection, replayId);
    if (replay?.subscriptionId !== subscriptionId) throw notFound('replay');
    return replay;
  };
  return {
    get,
    list: async (subscriptionId, page) => {
      const filter = { subscriptionId: known(deps.webhooks, subscriptionId).id };
      const sort = [['dateCreated', -1]] as const;
      const items = await stateStore.find<Replay>(replaysCollection, { filter, sort, ...page });
      return { items, count: await stateStore.count(replaysCollection, filter) };
    },
    start: async (subscriptionId, wish, askedBy) => {
      const replay = await begun(deps, subscriptionId, wish, askedBy);
      await forgetOld(deps);
      try {
        await stateStore.insertIfAbsent(replaysCollection, replay);
      } catch (error) {
        if (!(error instanceof DuplicateKey)) throw error;
        throw new Rejection(
          'run-under-way',
          'The subscription has a replay under way. Wait for it, or call it off.',
        );
      }
      wake();
      return replay;
    },
    callOff: async (subscriptionId, replayId, calledOffBy) => {
      await get(subscriptionId, replayId);
      const goesOn = { _id: replayId, status: { in: ['Running', 'Sending'] } };
      const called = await stateStore.updateIf<Replay>(replaysCollection, goesOn, {
        set: { status: 'Cancelling', calledOffBy },
      });
      if (called) wake();
      return called ?? get(subscriptionId, replayId);
    },
  };
};
