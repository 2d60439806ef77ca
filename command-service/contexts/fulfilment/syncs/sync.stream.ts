import type { ShopStream } from '#command/engine/streams.ts';
import type { FulfilmentEvent } from '#events/fulfilment.events.ts';
import { syncDecider, type RecordSync } from './sync.decider.ts';

/** Syncs with fulfilment providers, each in a stream of its own. */
export const syncStream: ShopStream<{ readonly isRecorded: boolean }, RecordSync, FulfilmentEvent> = {
  decider: syncDecider,
  begins: () => true,
  ends: () => true,
};
