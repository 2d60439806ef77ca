import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { createBasketCookies } from '#http/basket-cookie.ts';
import { createIdentity } from '#http/identity.ts';
import { createApp } from '#http/mount.ts';
import { createTokens } from '#http/tokens.ts';
import type { ProjectionDeps } from '#projection/engine/service-deps.ts';
import { projections } from '#projection/projections.ts';
import { projectionRoutes } from '#projection/routes.ts';
import { createReference } from '#reference/create-reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { defaultStoreSettings, type StoreSettings } from '#values/store-settings.ts';
import { recordedEvents, type GivenEvent } from './given.ts';
import { appendPlain } from './plain-log.ts';
import { openProjections } from './projection-house.ts';

const apiKey = 'test-key';
const baskets = createBasketCookies(Buffer.alloc(32, 3));
const now = Date.parse('2026-03-01T12:00:00.000Z');

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

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
  const { name, value } = baskets.write(basketId);
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
  const house = await openProjections({ log, projections });
  const reached = async (view: string, position: number): Promise<number | null> =>
    (await house.engine.waitFor(view, position)).lagSeconds;
  for (const { name } of projections) await reached(name, last);

  const app = createApp({
    routes: projectionRoutes({
      reader: house.reader,
      store: log,
      waitForPosition: waitForPosition ?? reached,
      reference,
      settings: () => settings,
      clock: { now: () => now },
    }),
    settings: { publicBaseUrl: null, trustedProxies: 0, secureCookies: false },
    identity: createIdentity({
      backofficeApiKey: apiKey,
      tokens: createTokens(Buffer.alloc(32), () => now),
      testingSecret: null,
      findUser: async () => null,
    }),
    idempotency: { run: async (_call, run) => run('none') },
    baskets,
    fingerprint: () => 'none',
    clock: { now: () => now },
    log: pino({ enabled: false }),
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;

  const get = async (path: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const text = await response.text();
    const body = JSON.parse(text) as Answer['body'];
    return { status: response.status, headers: response.headers, body, text };
  };
  const cookieHeader = (cookies: Readonly<Record<string, string>>): string =>
    Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  return {
    record,
    visit: (path, cookies = {}) => get(`/api/shop/storefront${path}`, { Cookie: cookieHeader(cookies) }),
    manage: (path, headers = {}) =>
      get(`/backoffice/api/v1${path}`, { Authorization: `Bearer ${apiKey}`, ...headers }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await house.stop();
    },
  };
};
