import { createProtocolManager } from '#agents/protocol-manager.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { referenceState, type ProjectionDeps } from '#projection/engine/service-deps.ts';
import { createExports } from '#projection/engine/exports/open-export.ts';
import { readHere } from '#projection/engine/exports/page-readers.ts';
import { explainedBy, projectionsOf, queriesOf } from '#projection/engine/join-modules.ts';
import { createMoments } from '#projection/engine/moments.ts';
import { followTimes } from '#projection/engine/time-index.ts';
import { createExplanations } from '#projection/engine/why/explanations.ts';
import { exportsOfViews } from '#projection/exports.ts';
import { modules } from '#projection/modules.ts';
import { defined } from '#kernel/defined.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { backofficeUsers } from '#runtime/backoffice-users.ts';
import { loadConfig } from '#runtime/config.ts';
import { createRecoveryLinks } from '#runtime/recovery-links.ts';
import { declareUpsellDays, readUpsellDays } from '#runtime/upsell-days.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import { Api, asAdmin, type ApiOptions } from './api.ts';
import { Browser, type Request } from './browser.ts';
import { recordedEvents, type GivenEvent } from './given.ts';
import { appendPlain, plainDecoder, silentLog } from './plain-log.ts';
import { freshOwnKeys } from './own-keys.ts';
import { openProjections } from './open-projections.ts';
import { get, manage, withHeaders } from './requests.ts';
import { scene, type ExpectedResponse } from './scene.ts';
import { topicContext } from './topic-context.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

export interface ReadingShop {
  /** Appends more events, and returns the position of the last one without waiting for any view. */
  record(...events: readonly GivenEvent[]): Promise<number>;
  /** GET below the storefront, as a browser with these cookies: `visit('/basket').then(200, { isEmpty: true })`. */
  visit(path: string, cookies?: Readonly<Record<string, string>>): ExpectedResponse;
  /** The same below the checkout. */
  visitCheckout(path: string, cookies?: Readonly<Record<string, string>>): ExpectedResponse;
  /** GET below the management API, with the API key. */
  manage(path: string, headers?: Readonly<Record<string, string>>): ExpectedResponse;
  /** Any request below the management API, as whoever its headers say. */
  ask(request: Request): ExpectedResponse;
  /** The header of a user who has signed in. */
  signedIn(userId: string): Readonly<Record<string, string>>;
  readonly base: string;
  close(): Promise<void>;
}

/** The cookie of a visitor whom the shop has given this basket. */
export const cookieOf = (basketId: string): Readonly<Record<string, string>> => {
  const { name, value } = Api.baskets.write(basketId, null);
  return { [name]: value ?? '' };
};

/** The queries of a shop in which these events have happened, over HTTP, on memory stores. */
export const openReadingShop = async (
  events: readonly GivenEvent[],
  changes: Partial<StoreSettings> & {
    readonly waitForPosition?: ProjectionDeps['waitForPosition'];
    readonly users?: ApiOptions['users'];
  } = {},
): Promise<ReadingShop> => {
  const { waitForPosition, users = [], ...given } = changes;
  const settings = { ...defaultStoreSettings, storeCurrencyCode: 'GBP', ...given };
  const log = createMemoryEventStore();
  const reference = createReference();
  const record = async (...more: readonly GivenEvent[]): Promise<number> => {
    let position = 0;
    for (const [index, event] of recordedEvents(more).entries()) {
      const { type, data, stream } = event;
      position = await appendPlain(log, stream, [
        { type, data, ...defined({ recordedAt: more[index]?.recordedAt }) },
      ]);
      for (const part of reference.parts) applyEvent(part, event);
    }
    return position;
  };
  const last = await record(...events);
  const projections = projectionsOf(modules);
  const stateStore = createMemoryDocumentStore();
  await declareUpsellDays(stateStore);
  for (const { id: _id, ...user } of users)
    await stateStore.insertIfAbsent(backofficeUsers, { _id, ...user });
  const readStore = createMemoryDocumentStore();
  const runtime = await openProjections({ log, projections, readStore });
  const reached = async (view: string, position: number): Promise<number | null> =>
    view === referenceState.name ? null : (await runtime.engine.waitFor(view, position)).lagSeconds;
  for (const { name } of projections) await reached(name, last);
  const times = await followTimes({ feed: runtime.feed, store: log, readStore, log: silentLog });

  const histories = () => Promise.resolve({ store: log, codec: plainDecoder() });
  const routes = queriesOf(modules, {
    reader: runtime.reader,
    exports: createExports({
      reader: runtime.reader,
      pages: readHere(exportsOfViews, { readStore, histories }),
    }),
    engine: runtime.engine,
    store: log,
    decoder: plainDecoder(),
    readStore,
    moments: createMoments({
      feed: runtime.feed,
      times,
      store: log,
      codec: plainDecoder(),
      clock: { now: () => now },
      settings: () => settings,
    }),
    explanations: createExplanations({
      ...explainedBy(modules),
      views: () => runtime.engine.status().map(({ name }) => name),
      waitForPosition: reached,
      reader: runtime.reader,
      store: log,
      codec: plainDecoder(),
      times,
      reference,
    }),
    waitForPosition: waitForPosition ?? reached,
    formerLag: () => null,
    reference,
    ownKeys: freshOwnKeys(),
    settings: () => settings,
    clock: { now: () => now },
    upsellDays: readUpsellDays(stateStore),
    namedRateProvider: null,
    ucp: loadConfig().protocol.ucp,
    protocols: createProtocolManager(),
    agentBaseUrl: '',
    stateStore,
    downloadUrlOf: topicContext.downloadUrlOf,
    orderLinkOf: (invoiceId, baseUrl) => `${baseUrl}/order/${invoiceId}`,
    recoveryLinkOf: createRecoveryLinks(Buffer.alloc(32), {
      recoveryUrlBase: () => settings['abandonedCheckout.recoveryUrlBase'],
      websiteUrl: () => settings.websiteUrl,
    }).recoveryLink,
  });
  const api = await Api.open(routes, { users });
  const ask = (caller: Browser, request: Request): ExpectedResponse =>
    scene({ log, settle: () => Promise.resolve() }, caller, []).when(request);
  const visitAs = (path: string, cookies: Readonly<Record<string, string>>): ExpectedResponse => {
    const browser = new Browser(api.base);
    for (const [name, value] of Object.entries(cookies)) browser.cookies.set(name, value);
    return ask(browser, get(path));
  };
  return {
    record,
    visit: (path, cookies = {}) => visitAs(`/api/shop/storefront${path}`, cookies),
    visitCheckout: (path, cookies = {}) => visitAs(`/api/shop/checkout${path}`, cookies),
    manage: (path, headers = {}) => ask(api, withHeaders({ ...asAdmin, ...headers }, manage.get(path))),
    ask: (request) => ask(api, request),
    signedIn: (userId) => ({ Authorization: `Bearer ${api.tokens.issue(userId, 1).token}` }),
    base: api.base,
    close: async () => {
      await api.close();
      await runtime.stop();
    },
  };
};
