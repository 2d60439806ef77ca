import type { OwnKeys } from '#agents/own-keys.ts';
import { createCodec, type EventCodec } from '#log/codec.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createFeed, type Feed } from '#log/feed.ts';
import { createForgettingWatch, type ForgettingWatch } from '#log/forgetting-watch.ts';
import { followReference, type ReferenceFollower } from '#log/follow-reference.ts';
import { percentRead } from '#log/share-read.ts';
import { holdToKey } from '#log/key-check.ts';
import { holdToLog, refuseHalf } from '#log/log-check.ts';
import { keyFor } from '#runtime/keys.ts';
import { createOwnKeys } from '#runtime/own-keys.ts';
import { createLeases, type Leases } from '#runtime/leases.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { createPersonalTexts, type PersonalTexts } from '#log/personal-texts.ts';
import { newId } from '#kernel/ids.ts';
import { createReference } from '#reference/create-reference.ts';
import type { Reference } from '#reference/reference.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { ServiceParts } from '#http/http-application.ts';
import type { HealthCheck } from '#runtime/health.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { createTraffic, type Traffic } from '#runtime/traffic.ts';
import type { Logger } from 'pino';
import { createShopClock, type ShopClock } from '#runtime/shop-clock.ts';
import { closeEngines, type Engines } from './open-engines.ts';

/** What every service of a process shares: engines, codec, feed, clock and reference state. */
export interface Runtime extends Engines {
  readonly instanceId: string;
  readonly applicationKey: Buffer;
  readonly codec: EventCodec;
  readonly personalTexts: PersonalTexts;
  readonly clock: ShopClock;
  readonly leases: Leases;
  readonly feed: Feed;
  readonly reference: Reference;
  readonly follower: ReferenceFollower;
  readonly ownKeys: OwnKeys;
  readonly forgetting: ForgettingWatch;
  readonly traffic: Traffic;
  readonly log: Logger;
  /** Stops the feed, keeps reference state and closes the engines, in this order. */
  close(): Promise<void>;
}

export interface RuntimeOptions {
  readonly engines: Engines;
  readonly applicationKey: Buffer;
  readonly log: Logger;
  /** Further state that follows the log beside reference state. */
  readonly parts?: readonly ReferencePart[];
  /** Default: real time, and what tests have moved it by. */
  readonly clock?: ShopClock;
}

/** Puts together what the services of a process share. Reference state follows the log from here on. */
export const openRuntime = async ({
  engines,
  applicationKey,
  log,
  parts = [],
  clock: givenClock,
}: RuntimeOptions): Promise<Runtime> => {
  const { store, stateStore } = engines;
  // Before anything is written: what another key has sealed cannot be mended, nor halves of two shops be told apart.
  await refuseHalf(stateStore, store);
  await holdToKey(stateStore, applicationKey);
  await holdToLog(stateStore, store);
  const instanceId = newId();
  const clock = givenClock ?? (await createShopClock(stateStore));
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const closing = new AbortController();
  const leases = createLeases({
    ...{ stateStore, instanceId, isOnlyWriter: stateStore.isOnlyWriter },
    closing: closing.signal,
  });
  const feed = createFeed({ store, codec, clock, log });
  const reference = createReference(createTextCipher(keyFor(applicationKey, 'reference snapshots')));
  const forgetting = createForgettingWatch();
  forgetting.onForgotten(() => keys.dropKnown());
  const followed = [...reference.parts, forgetting.part, ...parts];
  const follower = await followReference({ parts: followed, feed, stateStore, log });
  return {
    ...engines,
    instanceId,
    applicationKey,
    codec,
    personalTexts: createPersonalTexts(keys, applicationKey),
    clock,
    leases,
    feed,
    reference,
    follower,
    ownKeys: createOwnKeys(reference.signingKeys, clock),
    forgetting,
    traffic: createTraffic(),
    log,
    close: async () => {
      // Where the services could not be opened, some of what began has no one left who would stop it.
      closing.abort();
      await follower.stop();
      await feed.stop();
      await closeEngines(engines);
    },
  };
};

const measure = ({ store, readStore, codec, feed, follower }: Runtime, metrics: Metrics): void => {
  metrics.counter(
    'tillroll_log_silent_subscriptions_total',
    'Subscriptions of the log that said nothing although it went on; this process has followed it again from there',
    () => feed.silences,
  );
  if (store.slowSubscriptions) {
    metrics.counter(
      'tillroll_log_slow_subscriptions_total',
      'Subscriptions that the log ended because this process did not keep up; it went on at once',
      () => store.slowSubscriptions?.() ?? 0,
    );
  }
  if (readStore.written) {
    metrics.counter(
      'tillroll_read_store_commits_total',
      'Transactions in which read models were written',
      () => readStore.written?.commits ?? 0,
    );
    metrics.counter(
      'tillroll_read_store_documents_total',
      'Documents and checkpoints that were written to the read store',
      () => readStore.written?.documents ?? 0,
    );
  }
  metrics.counter(
    'tillroll_unreadable_subject_keys_total',
    'Keys of data subjects that the application key does not open; their personal fields read as null',
    () => codec.keys.unreadable(),
  );
  metrics.gauge('tillroll_reference_position', 'Position that reference state reflects', () =>
    follower.position(),
  );
};

/** What the runtime itself brings along: its engines and its reference state are watched and waited for. */
export const runtimeParts = (runtime: Runtime): ServiceParts => {
  const answers = (name: string, ping: () => Promise<void>): HealthCheck => ({
    name,
    check: async () => {
      await ping();
      return null;
    },
  });
  const { store, readStore, stateStore, bus, follower } = runtime;
  return {
    routes: [],
    testingRoutes: [],
    checks: [
      answers('event log', () => store.ping()),
      answers('read store', () => readStore.ping()),
      answers('state store', () => stateStore.ping()),
      answers('bus', () => bus.ping()),
      {
        name: 'reference state',
        check: () => {
          const stopped = follower.stopped();
          if (stopped) return `stopped at position ${stopped.position}: ${stopped.message}`;
          const left = follower.catchingUp();
          return left && `catching up with the log: ${percentRead(left)} % read`;
        },
      },
    ],
    followers: [
      {
        name: 'reference state',
        waitFor: (position, timeoutMs) => follower.waitFor(position, timeoutMs),
        stopped: () => follower.stopped(),
      },
    ],
    measure: (metrics) => measure(runtime, metrics),
  };
};
