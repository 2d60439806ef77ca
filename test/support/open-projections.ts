import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createFeed, type Feed } from '#log/feed.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import { createLeases, type Leases } from '#runtime/leases.ts';
import { newId } from '#kernel/ids.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { runProjections, type ProjectionEngine } from '#projection/engine/projection-engine.ts';
import { createReader, type ViewReader } from '#projection/engine/reader.ts';
import { plainDecoder, shopClock, silentLog } from './plain-log.ts';

export interface ProjectionRuntime {
  readonly feed: Feed;
  readonly engine: ProjectionEngine;
  readonly reader: ViewReader;
  stop(): Promise<void>;
}

/** A projection service without HTTP, on these stores, all following. */
export const openProjections = async (options: {
  readonly log: EventStore;
  readonly projections: readonly AnyProjection[];
  readonly readStore?: DocumentStore;
  readonly stateStore?: DocumentStore;
  readonly codec?: EventDecoder;
  /** False: other replicas may be open on the same stores. */
  readonly isOnlyWriter?: boolean;
  /** Position of the last forgetting. Default: no one is forgotten. */
  readonly forgottenAt?: number;
  /** Default: those of the state store. */
  readonly leases?: Leases;
}): Promise<ProjectionRuntime> => {
  const { log, projections, readStore = createMemoryDocumentStore(), codec = plainDecoder() } = options;
  const isOnlyWriter = options.isOnlyWriter ?? true;
  const stateStore = options.stateStore ?? createMemoryDocumentStore();
  const feed = createFeed({ store: log, codec, clock: shopClock, log: silentLog });
  await feed.start();
  const leases = options.leases ?? createLeases({ stateStore, instanceId: newId(), isOnlyWriter });
  const engine = await runProjections({
    projections,
    feed,
    store: log,
    codec,
    readStore,
    leases,
    clock: shopClock,
    forgetting: { last: () => options.forgottenAt ?? null },
    log: silentLog,
  });
  const stop = async (): Promise<void> => {
    await engine.stop();
    await feed.stop();
  };
  return { feed, engine, reader: createReader({ readStore, engine }), stop };
};
