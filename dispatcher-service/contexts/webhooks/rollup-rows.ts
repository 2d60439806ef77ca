import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { deliveriesCollection, type DeliveryStatus } from '#topics/webhook-delivery.ts';
import { everyStatus, figureFields, figuresOf, type DeliveryFigures } from './delivery-figures.ts';
import { findDeliveries } from './delivery-rows.ts';
import { ALL } from './rollup-state.ts';

/** Deliveries by when they were made: from the one instant on, to the other, which counts, or before it. */
export interface Made {
  readonly from: string;
  readonly to?: string;
  readonly before?: string;
}

/** After every instant: rows know their years by four digits. */
const NEVER = ':';

/** Deliveries of a subscription, or of all, as an index has them in one piece for each status. */
export const rowsMade = (
  scope: string,
  { from, to, before }: Made,
  statuses: readonly DeliveryStatus[] = everyStatus,
): Filter => ({
  ...(scope !== ALL && { subscriptionId: scope }),
  status: { in: statuses },
  dateCreated: { gte: from, ...(to === undefined ? { lt: before ?? NEVER } : { lte: to }) },
});

/** Reads an index, and nothing but what it counts. Errors: `EngineUnavailable`. */
export const figuresOfRows = async (
  stateStore: DocumentStore,
  scope: string,
  made: Made,
  statuses?: readonly DeliveryStatus[],
): Promise<DeliveryFigures> =>
  figuresOf(await stateStore.countBy(deliveriesCollection, figureFields, rowsMade(scope, made, statuses)));

/** When the newest of them was made; null when there is none. Errors: `EngineUnavailable`. */
export const newestMade = async (
  stateStore: DocumentStore,
  scope: string,
  made: Made,
): Promise<string | null> => {
  const filter = rowsMade(scope, made);
  const [row] = await findDeliveries(stateStore, { filter, sort: [['dateCreated', -1]], limit: 1 });
  return row?.dateCreated ?? null;
};

/** When the oldest of them was made; null when there is none. Errors: `EngineUnavailable`. */
export const oldestMade = async (
  stateStore: DocumentStore,
  from: string,
  statuses?: readonly DeliveryStatus[],
): Promise<string | null> => {
  const filter = rowsMade(ALL, { from }, statuses);
  const [row] = await findDeliveries(stateStore, { filter, sort: [['dateCreated', 1]], limit: 1 });
  return row?.dateCreated ?? null;
};
