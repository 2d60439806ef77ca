import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { ProjectionDeps } from '#projection/engine/service-deps.ts';
import { projectionsOf, queriesOf } from '#projection/engine/join-modules.ts';
import { modules } from '#projection/modules.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import { Api, asAdmin } from './api.ts';
import { Browser, type Answer } from './browser.ts';
import { recordedEvents, type GivenEvent } from './given.ts';
import { appendPlain } from './plain-log.ts';
import { openProjections } from './projection-house.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

export interface ReadingShop {
  /** Appends more events, and answers the position of the last one without waiting for any view. */
  record(...events: readonly GivenEvent[]): Promise<number>;
  /** GET below the storefront, as a browser with these cookies. */
  visit(path: string, cookies?: Readonly<Record<string, string>>): Promise<Answer>;
  /** GET below the management API, with the API key. */
  manage(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
}

/** The cookie of a visitor whom the shop has given this basket. */
export const cookieOf = (basketId: string): Readonly<Record<string, string>> => {
  const { name, value } = Api.baskets.write(basketId);
  return { [name]: value ?? '' };
};

/** The queries of a shop in which these events have happened, over HTTP, on memory stores. */
export const openReadingShop = async (
  events: readonly GivenEvent[],
  changes: Partial<StoreSettings> & { readonly waitForPosition?: ProjectionDeps['waitForPosition'] } = {},
): Promise<ReadingShop> => {
  const { waitForPosition, ...given } = changes;
  const settings = { ...defaultStoreSettings, storeCurrencyCode: 'GBP', ...given };
  const log = createMemoryEventStore();
  const reference = createReference();
  const record = async (...more: readonly GivenEvent[]): Promise<number> => {
    let position = 0;
    for (const event of recordedEvents(more)) {
      position = await appendPlain(log, event.stream, [event]);
      for (const part of reference.parts) applyEvent(part, event);
    }
    return position;
  };
  const last = await record(...events);
  const projections = projectionsOf(modules);
  const house = await openProjections({ log, projections });
  const reached = async (view: string, position: number): Promise<number | null> =>
    (await house.engine.waitFor(view, position)).lagSeconds;
  for (const { name } of projections) await reached(name, last);

  const routes = queriesOf(modules, {
    reader: house.reader,
    engine: house.engine,
    store: log,
    waitForPosition: waitForPosition ?? reached,
    reference,
    settings: () => settings,
    clock: { now: () => now },
  });
  const api = await Api.open(routes);
  return {
    record,
    visit: (path, cookies = {}) => {
      const browser = new Browser(api.base);
      for (const [name, value] of Object.entries(cookies)) browser.cookies.set(name, value);
      return browser.get(`/api/shop/storefront${path}`);
    },
    manage: (path, headers = {}) => api.get(`/backoffice/api/v1${path}`, { ...asAdmin, ...headers }),
    close: async () => {
      await api.close();
      await house.stop();
    },
  };
};
