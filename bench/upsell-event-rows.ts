import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { backofficeKey } from './backoffice.ts';
import { milliseconds, seconds, whole, type Figure } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import type { Bench } from './http-rows.ts';
import { appOf, applicationKey, runToEnd, startShop, untilSettled } from './processes.ts';
import { addPath, CookieJar, expectStatus } from './shopper.ts';

const upsells = '/api/shop/storefront/upsells';
const DAYS = 730;
const P99_MS = 15;
const PER_SECOND = 2000;
const CONNECTIONS = 32;
const WARM_UP = 50;

interface Rule {
  readonly id: string;
  readonly impressions: number;
}
interface SoldProduct {
  readonly variants: readonly { readonly id: string }[];
}
interface RuleFields {
  readonly triggerRules: readonly { readonly triggerType: string; readonly triggerIds: readonly string[] }[];
  readonly displayLocation: string;
}

const ask = async <Answer>(port: number, path: string): Promise<Answer> => {
  const headers = { authorization: `Bearer ${backofficeKey}` };
  const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1${path}`, { headers });
  if (!response.ok) throw new Error(`GET ${path} answered ${await response.text()}`);
  return (await response.json()) as Answer;
};

const headOf = async (port: number): Promise<number> => {
  await untilSettled(port);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^tillroll_reference_position (\d+)/m.exec(metrics)?.[1]);
};

const totalClicks = async (port: number): Promise<number> => {
  await untilSettled(port);
  return (await ask<{ readonly totalClicks: number }>(port, '/upsells/dashboard')).totalClicks;
};

/** So many requests over some connections; returns how long they took, in milliseconds. */
const askTimes = async (
  port: number,
  times: number,
  request: (connection: HttpConnection) => Promise<void>,
): Promise<number> => {
  let left = times;
  const begun = performance.now();
  const worker = async (): Promise<void> => {
    const connection = new HttpConnection(port);
    while (left-- > 0) await request(connection);
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return performance.now() - begun;
};

/** A basket for which a rule suggests something, as its shopper's cookie names it. */
const basketFor = async (port: number, rules: readonly Rule[]): Promise<string> => {
  for (const { id } of rules) {
    const { triggerRules, displayLocation } = await ask<RuleFields>(port, `/upsells/${id}`);
    const named = triggerRules.find(({ triggerType }) => triggerType === 'SpecificProducts');
    if (!named || !displayLocation.includes('Basket')) continue;
    const { variants } = await ask<SoldProduct>(port, `/products/${named.triggerIds[0]}`);
    const connection = new HttpConnection(port);
    const jar = new CookieJar();
    const body = JSON.stringify({ productId: variants[0]?.id, quantity: 1 });
    const answer = await connection.request('POST', addPath, '', body);
    expectStatus(answer, addPath);
    jar.take(answer.cookies);
    connection.close();
    return jar.header;
  }
  throw new Error('no rule of the demo store suggests anything for one product');
};

const measureEvents = async (bench: Bench, port: number, rules: readonly Rule[]): Promise<Figure[]> => {
  const times = bench.isQuick ? 1000 : 10_000;
  const cookies = await basketFor(port, rules);
  const event = { upsellRuleId: rules[0]?.id, displayLocation: 'Basket', eventType: 'Click' };
  const body = JSON.stringify({ events: [event] });
  const before = await headOf(port);
  const clicks = await totalClicks(port);
  const looked = await askTimes(port, times, async (connection) =>
    expectStatus(await connection.request('GET', upsells, cookies, null), upsells),
  );
  bench.say(`upsell-events: ${whole(times)} GETs in ${seconds(looked)}`);
  const begun = performance.now();
  const answered = await askTimes(port, times, async (connection) =>
    expectStatus(await connection.request('POST', `${upsells}/events`, cookies, body), upsells, 204),
  );
  const counted = (await totalClicks(port)) - clicks;
  const perSecond = (times / (performance.now() - begun)) * 1000;
  bench.say(`upsell-events: ${whole(times)} clicks answered in ${seconds(answered)}`);
  const written = (await headOf(port)) - before;
  return [
    {
      work: `events written to the log by ${whole(times)} GET /upsells and ${whole(times)} clicks`,
      measured: whole(written),
      reach: '0',
      isReached: written === 0,
    },
    {
      work: `clicks, one a request, ${CONNECTIONS} at once, until all are counted`,
      measured: `${whole(perSecond)} per second, ${whole(counted)} of ${whole(times)} counted`,
      reach: `at least ${whole(PER_SECOND)} per second`,
      isReached: perSecond >= PER_SECOND && counted === times,
    },
  ];
};

const measurePerformance = async (bench: Bench, port: number, rule: Rule): Promise<Figure> => {
  const path = `/upsells/${rule.id}/performance`;
  const took: number[] = [];
  let days = 0;
  for (let turn = -WARM_UP; turn < (bench.isQuick ? 200 : 2000); turn++) {
    const begun = performance.now();
    const { eventsByDate } = await ask<{ readonly eventsByDate: readonly unknown[] }>(port, path);
    if (turn >= 0) took.push(performance.now() - begun);
    days = eventsByDate.length;
  }
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.ceil(share * took.length) - 1] ?? NaN;
  const p99 = at(0.99);
  return {
    work: `GET performance of a rule over two years, ${whole(days)} days with events`,
    measured: `p99 ${milliseconds(p99)}, median ${milliseconds(at(0.5))}`,
    reach: `p99 under ${P99_MS} ms`,
    isReached: p99 < P99_MS,
  };
};

/** What is shown and clicked, and what of it a rule has brought in two years of simulated sales. */
export const measureUpsellEvents = async (bench: Bench, orders: number): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'upsell-events');
  mkdirSync(dataDir);
  const outputFile = join(dataDir, 'shop.log');
  bench.say(`upsell-events: ${whole(orders)} orders in ${DAYS} days`);
  const args = [...appOf(), 'simulate', `--orders=${orders}`, `--days=${DAYS}`, `--data=${dataDir}`];
  const env = { APPLICATION_KEY: applicationKey };
  await runToEnd({ args, env, outputFile }, 1000, () => undefined);
  const core = bench.pinning?.server ?? null;
  const shop = await startShop({ core, dataDir, storeFile: 'none', outputFile, patienceMs: 900_000 });
  try {
    const { port } = shop;
    await untilSettled(port);
    const rules = await ask<readonly Rule[]>(port, '/upsells/summary');
    const seen = rules.toSorted((one, other) => other.impressions - one.impressions);
    const [busiest] = seen;
    if (!busiest) throw new Error('the demo store has no upsell rules');
    return [await measurePerformance(bench, port, busiest), ...(await measureEvents(bench, port, seen))];
  } finally {
    await shop.stop();
  }
};
