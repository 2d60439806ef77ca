import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentOf, linesOf, manifestPath, sendingBy, sessionsPath } from './agent.ts';
import { shareOfBare, slice, times } from './catalogue-rows.ts';
import { compareLoads, type SliceTimes } from './compare-loads.ts';
import { median, milliseconds, percent, seconds, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, TwiceResult } from './load.ts';
import { advanceClock, runTestJob } from './processes.ts';
import type { Question } from './shopper.ts';
import { stock, type Stocked } from './stocked-shop.ts';
import { benchStore } from './store.ts';
import { runModule } from './workers.ts';

const PRODUCTS = 1000;
const AGENTS = 16;
const SESSIONS_READ = 100;
const MANIFEST_SHARE = 0.5;
const SESSION_SHARE = 0.35;
const UPDATE_P95_MS = 60;
const BESIDE_SHARE = 0.95;
const EXPIRED_WITHIN_MS = 10_000;
const CREATE_P99_MS = 100;
/** What sessions that have expired may leave behind, for each of them. */
const LEFT_SHARE = 0.1;

/** One process has all agents here, who come from one address. */
const settings = {
  Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
  Protocol__Ucp__OpenSessionsPerAddress: '0',
};
/** How soon the early ones are due: long enough that nothing expires until the clock is moved. */
const DUE_MINUTES = 120;
/** Short, so that all of these rows take three minutes. */
const SHORT: SliceTimes = { firstMs: 1500, warmUpMs: 300, measureMs: 1500 };

const ask = async (
  { shop: { port } }: Stocked,
  path: string,
  body: object,
  agent = agentOf(port),
): Promise<{ readonly id: string }> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'ucp-agent': `profile="${agent}"` },
    body: JSON.stringify(body),
  });
  if (response.status !== 201)
    throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { readonly id: string };
};

const lengthOf = ({ isQuick }: Bench): SliceTimes => (isQuick ? times(true) : SHORT);

interface Read {
  readonly work: string;
  readonly questions: readonly Question[];
  readonly reach: number;
}

const readRow = async (bench: Bench, stocked: Stocked, { work, questions, reach }: Read): Promise<Figure> => {
  const { shop, load } = stocked;
  const answers = await load.run<readonly string[]>({ kind: 'questions', port: shop.port, questions });
  const { shares, speeds } = await shareOfBare(bench, stocked, { work }, answers, lengthOf(bench));
  return {
    work,
    measured: `${spread(shares, percent)} of bare Express with the same bytes: ${spread(speeds, whole)} /s`,
    reach: `at least ${percent(reach)}`,
    isReached: median(shares) >= reach,
  };
};

/** Sessions that were begun just now. */
const begunSessions = async (stocked: Stocked, productIds: readonly string[]): Promise<Question[]> => {
  const sessions: Question[] = [];
  for (let index = 0; index < SESSIONS_READ; index++) {
    const from = (index * 3) % (productIds.length - 3);
    const owner = agentOf(stocked.shop.port, `bench-${index % AGENTS}`);
    const wanted = {
      line_items: linesOf(productIds.slice(from, from + 3)),
      buyer: { email: `reader-${index}@example.com` },
      fulfillment: sendingBy(null),
    };
    const { id } = await ask(stocked, sessionsPath, wanted, owner);
    sessions.push({ path: `${sessionsPath}/${id}`, agent: owner, telling: '"session_status":"active"' });
  }
  return sessions;
};

/** What an answer costs that is not given again: each of these is read for the first time, and once more. */
const firstReadRow = async (
  bench: Bench,
  stocked: Stocked,
  productIds: readonly string[],
): Promise<Figure> => {
  const { shop, load } = stocked;
  const runs: TwiceResult[] = [];
  // The first warms up.
  for (let turn = 0; turn <= bench.runs; turn++) {
    const questions = await begunSessions(stocked, productIds);
    runs.push(await load.run<TwiceResult>({ kind: 'twice', port: shop.port, questions }));
  }
  const usual = (which: keyof TwiceResult): string =>
    spread(
      runs.slice(1).map((run) => median(run[which])),
      milliseconds,
    );
  return {
    work: 'GET of a session, 3 lines, that is read for the first time, one reader: median',
    measured: `${usual('first')}; read again ${usual('again')}`,
    reach: 'printed',
    isReached: null,
  };
};

const reads = async (stocked: Stocked, productIds: readonly string[]): Promise<readonly Read[]> => {
  const agent = agentOf(stocked.shop.port);
  const sessions = await begunSessions(stocked, productIds);
  const manifest = { path: manifestPath, telling: '"payment_handlers"' };
  return [
    { work: 'GET manifest, anonymous', questions: [manifest], reach: MANIFEST_SHARE },
    {
      work: 'the same, negotiated for an agent that is known',
      questions: [{ ...manifest, agent }],
      reach: MANIFEST_SHARE,
    },
    {
      work: `GET of a session, 3 lines with options, ${SESSIONS_READ} of ${AGENTS} agents, each again and again`,
      questions: sessions,
      reach: SESSION_SHARE,
    },
  ];
};

/** One agent changes the quantities of all the lines of one session. */
const updateRow = async (
  bench: Bench,
  stocked: Stocked,
  productIds: readonly string[],
  lines: number,
): Promise<Figure> => {
  const { shop, load } = stocked;
  const wanted = productIds.slice(0, lines);
  const { id } = await ask(stocked, sessionsPath, { line_items: linesOf(wanted) });
  const questions = [2, 1].map((quantity) => ({
    path: `${sessionsPath}/${id}`,
    isPut: true,
    agent: agentOf(shop.port),
    body: JSON.stringify({ line_items: linesOf(wanted, quantity) }),
    telling: '"session_status":"active"',
  }));
  await load.run({ kind: 'questions', port: shop.port, questions });
  const length = lengthOf(bench);
  await slice(stocked, shop, 'look', 1, { warmUpMs: length.firstMs, measureMs: 100 });
  const waited: number[] = [];
  for (let turn = 1; turn <= bench.runs; turn++)
    waited.push((await slice(stocked, shop, 'look', 1, length)).p95);
  return {
    work: `PUT of a session with ${lines} lines, one agent: p95`,
    measured: spread(waited, milliseconds),
    reach: `under ${UPDATE_P95_MS} ms`,
    isReached: median(waited) < UPDATE_P95_MS,
  };
};

/** Puts open sessions, a tenth of them due early, into the log of a stopped shop. */
const fillWithSessions =
  (bench: Bench, sessions: number, productIds: readonly string[]) =>
  async (dataDir: string): Promise<void> => {
    const productsFile = join(dataDir, 'products.json');
    writeFileSync(productsFile, JSON.stringify(productIds));
    const begun = performance.now();
    const counts = [sessions, sessions / 10, DUE_MINUTES].map(String);
    await runModule(null, './produce-sessions.ts', [dataDir, ...counts, productsFile]);
    bench.say(`agents: ${whole(sessions)} open sessions, made in ${seconds(performance.now() - begun)}`);
  };

/** A tenth of many open sessions expires while agents begin others. */
const expiryRows = async (stocked: Stocked, sessions: number): Promise<readonly Figure[]> => {
  const { shop } = stocked;
  const before = Date.now();
  await slice(stocked, shop, 'agent-begin', AGENTS, { warmUpMs: 0, measureMs: 1000 });
  const usual = stocked.noted(before).megabytes;
  await advanceClock(shop.port, DUE_MINUTES * 60);
  const from = Date.now();
  const slices: LoadResult[] = [];
  const state = { isDone: false };
  const running = runTestJob(shop.port, 'expire-agent-sessions').finally(() => (state.isDone = true));
  while (!state.isDone)
    slices.push(await slice(stocked, shop, 'agent-begin', AGENTS, { warmUpMs: 0, measureMs: 1000 }));
  const { ms, summary } = await running;
  const p99 = Math.max(...slices.map((one) => one.p99));
  const { megabytes } = stocked.noted(from);
  return [
    {
      work: `expire-agent-sessions, ${whole(sessions)} open, a tenth of them due`,
      measured: `${seconds(ms)}: ${JSON.stringify(summary)}`,
      reach: `within ${seconds(EXPIRED_WITHIN_MS)}`,
      isReached: ms < EXPIRED_WITHIN_MS,
    },
    {
      work: 'POST of sessions meanwhile: p99',
      measured: milliseconds(p99),
      reach: `under ${CREATE_P99_MS} ms`,
      isReached: p99 < CREATE_P99_MS,
    },
    {
      work: 'memory meanwhile, against just before',
      measured: `${whole(megabytes)} MB resident at most; ${whole(usual)} MB before`,
      reach: `at most ${percent(LEFT_SHARE)} more`,
      isReached: megabytes <= usual * (1 + LEFT_SHARE),
    },
  ];
};

/** What agents ask of a shop, and what that leaves to shoppers (docs/rules/agent-sessions.md). */
export const measureAgents = async (bench: Bench, sessions: number, lines: number): Promise<Figure[]> => {
  const store = benchStore(PRODUCTS);
  const { productIds } = store;
  const stocked = await stock(
    bench,
    'agents',
    store,
    settings,
    fillWithSessions(bench, sessions, productIds),
  );
  const other = await stock(bench, 'without-agents', store, settings);
  const figures: Figure[] = [];
  const found = (...ones: readonly Figure[]): void => {
    figures.push(...ones);
    ones.forEach(bench.tell);
  };
  try {
    for (const read of await reads(stocked, productIds)) found(await readRow(bench, stocked, read));
    found(await firstReadRow(bench, stocked, productIds));
    found(await updateRow(bench, stocked, productIds, lines));
    const row = { row: 'agents', times: SHORT };
    const twoCalls = { ...row, work: `a purchase in two calls, ${AGENTS} agents`, shoppers: AGENTS };
    found(
      await compareLoads(bench, {
        ...twoCalls,
        measured: { ...stocked, does: 'agent-purchase' },
        usual: { ...stocked, does: 'purchase' },
        usualName: 'whole purchases in the storefront',
        reach: 1,
      }),
    );
    for (const [does, shoppers] of [
      ['add', 64],
      ['purchase', 16],
    ] as const)
      found(
        await compareLoads(bench, {
          ...row,
          work: `${does} of the storefront beside ${whole(sessions)} sessions, in turn with a shop without`,
          shoppers,
          measured: { ...stocked, does },
          usual: { ...other, does },
          usualName: 'the shop without',
          reach: BESIDE_SHARE,
        }),
      );
    found(...(await expiryRows(stocked, sessions)));
    return figures;
  } finally {
    await other.stop();
    await stocked.stop();
  }
};
