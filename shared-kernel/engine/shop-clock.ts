import { offsetClock, type Clock } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** The shop's clock: real time and an offset that tests may move. */
export interface ShopClock extends Clock {
  /** Moves the clock on for every service, and for every start to come. */
  advance(seconds: number): Promise<void>;
}

interface OffsetDocument extends Document {
  readonly offsetMs: number;
}

const collection = 'clock';
const id = 'shop';

/** Reads the offset from the state store, where every service finds it. Errors: `EngineUnavailable`. */
export const createShopClock = async (stateStore: DocumentStore): Promise<ShopClock> => {
  await stateStore.declare(collection);
  let offsetMs = (await stateStore.get<OffsetDocument>(collection, id))?.offsetMs ?? 0;
  return {
    ...offsetClock(() => offsetMs),
    advance: async (seconds) => {
      await stateStore.insertIfAbsent(collection, { _id: id, offsetMs: 0 } as OffsetDocument);
      const moved = await stateStore.updateIf<OffsetDocument>(
        collection,
        { _id: id },
        { increment: { offsetMs: Math.round(seconds * 1000) } },
      );
      offsetMs = moved?.offsetMs ?? offsetMs;
    },
  };
};
