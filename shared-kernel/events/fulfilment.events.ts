import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, instant, text } from './fields.ts';

const synchronised = {
  configurationId: guid,
  providerKey: text,
  itemsProcessed: count,
  itemsSucceeded: count,
  itemsFailed: count,
  completedAt: instant,
};

/** What was settled with a fulfilment provider beside orders. Stream `fulfilmentSync-<id of the sync>`. */
export const fulfilmentEvents = defineEvents('fulfilment', {
  /** The provider has been told of the products, whatever it made of them. */
  FulfilmentProductsSynced: synchronised,
  /** Stock is as the provider counts it. */
  FulfilmentInventorySynced: synchronised,
});
export type FulfilmentEvent = EventOf<typeof fulfilmentEvents>;
