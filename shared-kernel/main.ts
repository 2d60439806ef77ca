import { createCodec, type EventCodec } from '#engine/codec.ts';
import { createFeed, type Feed } from '#engine/feed.ts';
import { followReference, type ReferenceFollower } from '#engine/follow-reference.ts';
import { createLeases, type Leases } from '#engine/leases.ts';
import { createSubjectKeys } from '#engine/subject-keys.ts';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { openSqliteBus } from '#adapters/sqlite/sqlite-bus.ts';
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import { newId } from '#kernel/ids.ts';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createReference } from '#reference/create-reference.ts';
import type { Reference } from '#reference/reference.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { ServiceParts } from '#http/front.ts';
import type { EngineFiles } from '#runtime/config.ts';
import type { HealthCheck } from '#runtime/health.ts';
import type { Logger } from 'pino';
import { createShopClock, type ShopClock } from '#engine/shop-clock.ts';

/** The engines of a process. */
export interface Engines {
  readonly store: EventStore;
  readonly readStore: DocumentStore;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
}

/** What every service of a process shares: engines, codec, feed, clock and reference state. */
export interface House extends Engines {
  readonly instanceId: string;
  readonly applicationKey: Buffer;
  readonly codec: EventCodec;
  readonly clock: ShopClock;
  readonly leases: Leases;
  readonly feed: Feed;
  readonly reference: Reference;
  readonly follower: ReferenceFollower;
  readonly log: Logger;
  /** Stops the feed, keeps reference state and closes the engines, in this order. */
  close(): Promise<void>;
}

export interface HouseOptions {
  readonly engines: Engines;
  readonly applicationKey: Buffer;
  readonly log: Logger;
  /** Further state that follows the log beside reference state. */
  readonly parts?: readonly ReferencePart[];
  /** Default: real time, and what tests have moved it by. */
  readonly clock?: ShopClock;
}

/**
 * Opens the embedded engines. All but the read store, which can be rebuilt, wait for the disk. Read-only engines stand
 * beside a running shop and have no bus.
 */
export const openEngines = async (files: EngineFiles, readOnly = false): Promise<Engines> => {
  const documents = (file: string | null, synchronous: 'FULL' | 'NORMAL') =>
    file === null ? createMemoryDocumentStore() : openSqliteDocumentStore({ file, synchronous, readOnly });
  // The log first: its lock says who holds the data folder.
  const store = await (files.events === null
    ? createMemoryEventStore()
    : openSqliteEventStore({ file: files.events, readOnly }));
  const opened: { close(): Promise<void> }[] = [store];
  const keep = async <Engine extends { close(): Promise<void> }>(
    engine: Engine | Promise<Engine>,
  ): Promise<Engine> => {
    opened.push(await engine);
    return engine;
  };
  try {
    const readStore = await keep(documents(files.read, 'NORMAL'));
    const stateStore = await keep(documents(files.state, 'FULL'));
    const bus = await keep(
      files.bus === null || readOnly ? createMemoryBus() : openSqliteBus({ file: files.bus }),
    );
    return { store, readStore, stateStore, bus };
  } catch (error) {
    await Promise.all(opened.map((engine) => engine.close()));
    throw error;
  }
};

/** Closes the engines, the state store last: whatever else is closing may still write there. */
export const closeEngines = async ({ store, readStore, stateStore, bus }: Engines): Promise<void> => {
  await Promise.all([store.close(), readStore.close(), bus.close()]);
  await stateStore.close();
};

/** Puts together what the services of a process share. Reference state follows the log from here on. */
export const openHouse = async ({
  engines,
  applicationKey,
  log,
  parts = [],
  clock: givenClock,
}: HouseOptions): Promise<House> => {
  const { store, stateStore } = engines;
  const instanceId = newId();
  const clock = givenClock ?? (await createShopClock(stateStore));
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey });
  const leases = createLeases({ stateStore, instanceId, isOnlyWriter: store.isOnlyWriter });
  const feed = createFeed({ store, codec, clock, log });
  const reference = createReference();
  const follower = await followReference({ parts: [...reference.parts, ...parts], feed, stateStore, log });
  return {
    ...engines,
    instanceId,
    applicationKey,
    codec,
    clock,
    leases,
    feed,
    reference,
    follower,
    log,
    close: async () => {
      await follower.stop();
      await feed.stop();
      await closeEngines(engines);
    },
  };
};

/** What the house itself brings along: its engines and its reference state are watched and waited for. */
export const houseParts = (house: House): ServiceParts => {
  const answers = (name: string, ping: () => Promise<void>): HealthCheck => ({
    name,
    check: async () => {
      await ping();
      return null;
    },
  });
  const { store, readStore, stateStore, bus, follower } = house;
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
          return follower.isReady() ? null : 'catching up with the log';
        },
      },
    ],
    followers: [
      { name: 'reference state', passed: (position, timeoutMs) => follower.waitFor(position, timeoutMs) },
    ],
    measure: (metrics) => {
      metrics.gauge('tillroll_reference_position', 'Position that reference state reflects', () =>
        follower.position(),
      );
    },
  };
};
