import { deliveriesCollection, counterCollection, type Delivery } from '#topics/webhook-delivery.ts';
import type { IndexSpec } from '#kernel/projection.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import { deliveryTable } from '../../engine/delivery-table.ts';
import { interruptDelivery } from './delivery.ts';
import { declareRollups } from './rollup-state.ts';

/** With which round of which dispatcher's run an outcome is counted into the subscription's counters. */
export interface CountedIn {
  readonly run: string;
  readonly round: number;
}

/** A delivery in its place along the log: first attempts of a subscription begin in this order. */
export interface DeliveryRow extends Delivery {
  /**
   * Position of the event; below START where a replay has queued it, which comes after what is new; null for a delivery
   * sent by hand to try the receiver.
   */
  readonly position: number | null;
  /** The last replay that queued it, and what it was before; null where that replay made it. */
  readonly replay?: {
    readonly id: string;
    /** The end of the log when it began. */
    readonly knownFrom: number;
    readonly before: Pick<
      DeliveryRow,
      'status' | 'dateCompleted' | 'errorMessage' | 'attemptsBefore' | 'position'
    > | null;
  };
  /** Of the last outcome; absent before the first. */
  readonly countedIn?: CountedIn;
}

/** Runs of dispatchers whose outcomes may not all be counted. */
export const counterRunsCollection = 'webhookTallyRuns';

const indexes: readonly IndexSpec[] = [
  { fields: ['subscriptionId', 'dateCreated'] },
  { fields: ['subscriptionId', 'status', 'position'] },
  { fields: ['dueAt'] },
  { fields: ['subscriptionId', 'status', 'dateCreated'], including: ['attemptNumber', 'durationMs'] },
  { fields: ['status', 'dateCreated'], including: ['subscriptionId', 'attemptNumber', 'durationMs'] },
  { fields: ['subject'] },
];

/** Errors: `EngineUnavailable`. */
export const declareDeliveries = async (stateStore: DocumentStore): Promise<void> => {
  await stateStore.declare(deliveriesCollection, indexes);
  await stateStore.declare(counterCollection);
  await stateStore.declare(counterRunsCollection);
  await declareRollups(stateStore);
};

export const webhookTable = deliveryTable<DeliveryRow>(deliveriesCollection, interruptDelivery);

export const {
  get: getDelivery,
  find: findDeliveries,
  count: countDeliveries,
  takeStep,
  takeSteps,
  claim: claimDelivery,
  oldestDueSeconds,
  recover: recoverDeliveries,
} = webhookTable;

/** Ids of a subscription's new deliveries that wait for their first attempt, in the order of the log. */
export const untriedDeliveries = (
  stateStore: DocumentStore,
  subscriptionId: string,
  limit: number,
): Promise<readonly string[]> =>
  inOrder(stateStore, { subscriptionId, status: 'Pending', position: { gt: START } }, limit);

/** Likewise of those that a replay has queued. */
export const replayedDeliveries = (
  stateStore: DocumentStore,
  subscriptionId: string,
  limit: number,
): Promise<readonly string[]> => inOrder(stateStore, waitingReplayed(subscriptionId), limit);

/** What a replay has queued for a subscription and nobody has tried yet. */
export const waitingReplayed = (subscriptionId: string): Filter => ({
  subscriptionId,
  status: 'Pending',
  position: { lt: START },
});

/** Whether a row is one of these, whatever was tried before the replay. */
export const isWaitingReplayed = ({ status, position }: DeliveryRow): boolean =>
  status === 'Pending' && position !== null && position < START;

const inOrder = async (
  stateStore: DocumentStore,
  filter: Filter,
  limit: number,
): Promise<readonly string[]> => {
  const rows = await findDeliveries(stateStore, { filter, sort: [['position', 1]], limit });
  return rows.map(({ _id }) => _id);
};
