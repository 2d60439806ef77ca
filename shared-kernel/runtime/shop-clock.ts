import { offsetClock, type Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** The shop's clock: real time plus an offset that tests may move. */
export interface ShopClock extends Clock {
  /** How far it is ahead of real time, in milliseconds. */
  readonly offsetMs: number;
  /** Advances the clock here and wherever it is followed, and for later starts. */
  advance(seconds: number): Promise<void>;
  /** Applies what another process has moved it to. Errors: `EngineUnavailable`. */
  follow(): Promise<void>;
}

interface OffsetDocument extends Document {
  readonly offsetMs: number;
}

const collection = 'clock';
const id = 'shop';

/** Reads the offset from the state store, where every service finds it. Errors: `EngineUnavailable`. */
export const createShopClock = async (stateStore: DocumentStore): Promise<ShopClock> => {
  await stateStore.declare(collection);
  let offsetMs = 0;
  const follow = async (): Promise<void> => {
    const stored = await stateStore.get<OffsetDocument>(collection, id);
    // An answer may be older than our own move.
    offsetMs = Math.max(offsetMs, stored?.offsetMs ?? 0);
  };
  await follow();
  return {
    ...offsetClock(() => offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    follow,
    advance: async (seconds) => {
      await stateStore.insertIfAbsent(collection, { _id: id, offsetMs: 0 } as OffsetDocument);
      const moved = await stateStore.updateIf<OffsetDocument>(
        collection,
        { _id: id },
        { increment: { offsetMs: Math.round(seconds * 1000) } },
      );
      offsetMs = Math.max(offsetMs, moved?.offsetMs ?? 0);
    },
  };
};

/** The clock of a shop that is shown as it was at an instant. */
export const standingClock = (instant: number): ShopClock => ({
  now: () => instant,
  offsetMs: 0,
  follow: () => Promise.resolve(),
  advance: () => Promise.reject(new TypeError('this clock stands still')),
});
