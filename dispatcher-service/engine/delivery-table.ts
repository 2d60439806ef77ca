import { isoInstant } from '#kernel/clock.ts';
import type { DocumentStore, Filter, FindOptions } from '#ports/document-store.ts';
import { claim, claimPending, type Transition } from '#topics/delivery-steps.ts';
import type { DeliveryProgress } from '#topics/webhook-delivery.ts';

/** Gives a row whose sender is gone back to any other. */
type GiveBack<Row> = (row: Row, now: number) => Transition;

/** Rows of deliveries in a collection of the state store. Errors of all: `EngineUnavailable`. */
export interface DeliveryTable<Row extends DeliveryProgress> {
  get(stateStore: DocumentStore, id: string): Promise<Row | null>;
  find(stateStore: DocumentStore, options: FindOptions): Promise<readonly Row[]>;
  count(stateStore: DocumentStore, filter: Filter): Promise<number>;
  /** Null when the row no longer stands where the step begins. */
  takeStep(stateStore: DocumentStore, transition: Transition): Promise<Row | null>;
  /** As `takeStep`, of several rows at once. Returns how many steps were taken. */
  takeSteps(stateStore: DocumentStore, transitions: readonly Transition[]): Promise<number>;
  /** Takes one that is due; of several workers one gets it, the others null. */
  claim(stateStore: DocumentStore, id: string, now: number): Promise<Row | null>;
  /** How long the oldest one has been due, in seconds; 0 when there is none. */
  oldestDueSeconds(stateStore: DocumentStore, now: number): Promise<number>;
  /** Takes back unfinished attempts, a page at a time. Returns how many. */
  recover(stateStore: DocumentStore, filter: Filter, now: number): Promise<number>;
}

const PAGE = 100;

export const dueFilter = (now: number): Filter => ({ dueAt: { lte: isoInstant(now) } });

/** What being sent is for every delivery, of a webhook or a mail. */
export const deliveryTable = <Row extends DeliveryProgress>(
  collection: string,
  giveBack: GiveBack<Row>,
): DeliveryTable<Row> => {
  const find: DeliveryTable<Row>['find'] = (stateStore, options) => stateStore.find<Row>(collection, options);
  const takeStep: DeliveryTable<Row>['takeStep'] = (stateStore, { when, patch }) =>
    stateStore.updateIf<Row>(collection, when, patch);
  return {
    find,
    takeStep,
    takeSteps: (stateStore, transitions) =>
      stateStore.updateEach(
        collection,
        transitions.map(({ when: filter, patch }) => ({ filter, patch })),
      ),
    get: (stateStore, id) => stateStore.get<Row>(collection, id),
    count: (stateStore, filter) => stateStore.count(collection, filter),
    // Most are new: a retry costs one question more.
    claim: async (stateStore, id, now) =>
      (await takeStep(stateStore, claimPending(id, now))) ?? takeStep(stateStore, claim(id, now)),
    oldestDueSeconds: async (stateStore, now) => {
      const [oldest] = await find(stateStore, { filter: dueFilter(now), sort: [['dueAt', 1]], limit: 1 });
      return oldest?.dueAt ? (now - Date.parse(oldest.dueAt)) / 1000 : 0;
    },
    recover: async (stateStore, filter, now) => {
      for (let recovered = 0; ;) {
        const stuck = await find(stateStore, { filter, limit: PAGE });
        const steps = await Promise.all(stuck.map((row) => takeStep(stateStore, giveBack(row, now))));
        const taken = steps.filter((row) => row !== null).length;
        recovered += taken;
        if (stuck.length < PAGE || taken === 0) return recovered;
      }
    },
  };
};
