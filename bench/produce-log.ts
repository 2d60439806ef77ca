import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { basketCookieOf, createBasketCookies, type BasketCookies } from '#http/basket-cookie.ts';
import { parseCookies } from '#http/cookies.ts';
import { pathsOf } from '#http/route-tree.ts';
import type { Route } from '#http/route.ts';
import { newId } from '#kernel/ids.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop, type Shop } from '../tillroll.ts';
import type { HttpResponse, Connection } from './http-connection.ts';
import { addingShopper, buyingShopper, seeded, type ShopperOptions } from './shopper.ts';

/*
 * Makes a long log the quick way: the whole shop on its own files, called without HTTP. `node produce-log.ts <data
 * folder> <events> <file with product ids>`; the folder holds a shop whose store has been imported. APPLICATION_KEY is
 * the shop's.
 */

const SHOPPERS = 200;
/** Of so many baskets one is bought; the others stay behind with 1 to 5 lines. */
const BASKETS_PER_PURCHASE = 3;
const REPORT_EVERY_MS = 1000;
const READY_MS = 60_000;

/** The command service's routes, called as HTTP would call them. */
const connectTo = (routes: readonly Route[], baskets: BasketCookies): Connection => {
  const byPath = new Map(routes.map((route) => [`${route.method} ${pathsOf(route)[0]}`, route]));
  return {
    close: () => undefined,
    request: async (method, path, cookies, body): Promise<HttpResponse> => {
      const route = byPath.get(`${method} ${path}`);
      if (!route) throw new Error(`there is no route ${method} ${path}`);
      const correlationId = newId();
      const given = parseCookies(cookies);
      const reply = await route.handle({
        params: {},
        query: {},
        body: body === null ? undefined : route.schemas.body?.parse(JSON.parse(body)),
        cookies: given,
        basketId: baskets.read(basketCookieOf(given), null)?.basketId ?? null,
        actor: { kind: 'visitor', id: null },
        correlationId,
        ip: '127.0.0.1',
        header: () => undefined,
        headers: {},
        reached: { position: 0 },
        baseUrl: 'http://127.0.0.1',
      });
      const { cookies: others = [], basketId } = reply;
      const toSet = basketId === undefined ? others : [...others, baskets.write(basketId, null)];
      return {
        status: reply.status,
        body: Buffer.from(reply.text ?? JSON.stringify(reply.json)),
        cookies: toSet.map(({ name, value }) => `${name}=${value ?? ''}`),
        head: '',
      };
    },
  };
};

const [, , dataDir = '', wanted = '', productsFile = ''] = process.argv;
const target = Number(wanted);
const productIds = JSON.parse(readFileSync(productsFile, 'utf8')) as readonly string[];

/** The whole shop, only without its HTTP server. */
const openWholeShop = async (): Promise<Shop> => {
  const config = loadConfig({
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      Checkout__OpenInvoicesPerAddress: '0',
      Checkout__HeldUnitsPerAddress: '0',
      Store__newBasketsPerMinute: '0',
      Checkout__NewCustomersPerMinute: '0',
    },
  });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'produce.log')));
  const shop = await openShop({
    config,
    keys: loadKeys(config),
    engines: await openEngines(config.engines),
    log,
  });
  await shop.runtime.follower.waitFor(await shop.runtime.store.head(), READY_MS);
  return shop;
};

const fill = async ({ routes, runtime }: Shop): Promise<void> => {
  const connection = connectTo(routes, createBasketCookies(runtime.applicationKey));
  let shoppers = 0;
  const shop = async (): Promise<void> => {
    const number = ++shoppers;
    const options: ShopperOptions = { connection, productIds, random: seeded(number) };
    const buyer = buyingShopper(options, `visitor-${number}-${newId()}`);
    for (let basket = 1; (await runtime.store.head()) < target; basket++) {
      if (basket % BASKETS_PER_PURCHASE === 0) {
        await buyer.next();
        continue;
      }
      const lines = 1 + Math.floor(options.random() * 5);
      const shopper = addingShopper(options, lines);
      for (let line = 0; line < lines; line++) await shopper.add();
    }
  };
  await Promise.all(Array.from({ length: SHOPPERS }, shop));
};

const produce = async (): Promise<{ readonly events: number }> => {
  const shop = await openWholeShop();
  const { store } = shop.runtime;
  const before = await store.head();
  const report = setInterval(() => {
    void store.head().then((head) => process.send?.({ progress: (head - before) / (target - before) }));
  }, REPORT_EVERY_MS);
  try {
    await fill(shop);
    return { events: await store.head() };
  } finally {
    clearInterval(report);
    await shop.stop();
  }
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
