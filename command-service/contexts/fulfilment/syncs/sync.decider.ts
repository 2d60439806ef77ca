import { fulfilmentEvents, type FulfilmentEvent } from '#events/fulfilment.events.ts';
import type { Decider } from '#kernel/decider.ts';

export interface RecordSync {
  readonly type: 'RecordSync';
  readonly syncType: 'ProductsOut' | 'InventoryIn';
  readonly configurationId: string;
  readonly providerKey: string;
  readonly itemsProcessed: number;
  readonly itemsSucceeded: number;
  readonly itemsFailed: number;
  readonly completedAt: string;
}

const { FulfilmentInventorySynced, FulfilmentProductsSynced } = fulfilmentEvents.create;

/** Records a sync, so that integrators are notified (docs/rules/fulfilment.md#syncs). */
export const syncDecider: Decider<{ readonly isRecorded: boolean }, RecordSync, FulfilmentEvent> = {
  category: 'fulfilmentSync',
  initial: () => ({ isRecorded: false }),
  decide: ({ isRecorded }, { type: _, syncType, ...sync }) => {
    if (isRecorded) return [];
    return [syncType === 'ProductsOut' ? FulfilmentProductsSynced(sync) : FulfilmentInventorySynced(sync)];
  },
  on: {
    FulfilmentProductsSynced: () => ({ isRecorded: true }),
    FulfilmentInventorySynced: () => ({ isRecorded: true }),
  },
  remembersCommands: false,
};
