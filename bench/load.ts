import { setTimeout as pause } from 'node:timers/promises';
import { askingBy, beginningAgent, buyingAgent } from './agent.ts';
import { HttpConnection } from './http-connection.ts';
import { patientConnection } from './patient-connection.ts';
import { servedAgent } from './served-agent.ts';
import { askingSigned } from './signing-agent.ts';
import {
  addingShopper,
  addPath,
  askFor,
  basketPath,
  buyingShopper,
  lookingShopper,
  quoteBasket,
  readingShopper,
  redirectedShopper,
  seeded,
  suggestedShopper,
  upsellsPath,
  type PreparedBasket,
  type Question,
  type Shopper,
  type ShopperOptions,
} from './shopper.ts';

/*
 * The load, as a process of its own so that it can have a core of its own. The benchmark sends jobs over the channel
 * between them, one at a time.
 */

export type Work =
  | 'add'
  | 'get'
  | 'look'
  | 'suggest'
  | 'purchase'
  | 'purchase-elsewhere'
  | 'agent-begin'
  | 'agent-purchase'
  | 'agent-signed-purchase'
  | 'ceiling-add'
  | 'ceiling-get'
  | 'ceiling-look'
  | 'ceiling-suggest';

export interface LoadJob {
  readonly kind: 'load';
  readonly work: Work;
  readonly port: number;
  readonly shoppers: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** What each shopper waits after an answer; none by default. */
  readonly pauseMs?: number;
}

/** Fills baskets with 1 to 5 lines in turn; `get` looks at these. */
export interface PrepareJob {
  readonly kind: 'prepare';
  readonly port: number;
  readonly baskets: number;
  /** Baskets for which nothing is suggested are left out. */
  readonly isSuggested?: boolean;
}

/** Says what `look` asks for; tells what is answered to the first of it. */
export interface QuestionsJob {
  readonly kind: 'questions';
  readonly port: number;
  readonly questions: readonly Question[];
}

/** One reader asks each of these twice, one right after the other. */
export interface TwiceJob {
  readonly kind: 'twice';
  readonly port: number;
  readonly questions: readonly Question[];
}

/** One shopper has the shipping of baskets quoted, of each twice. */
export interface QuoteJob {
  readonly kind: 'quote';
  readonly port: number;
  readonly baskets: number;
  readonly lines: number;
}

/** What each took, in milliseconds. */
export interface TwiceResult {
  readonly first: readonly number[];
  readonly again: readonly number[];
}

/** Patient shoppers buy; every answer is told. */
export interface WatchJob {
  readonly kind: 'watch';
  readonly port: number;
  readonly shoppers: number;
  readonly measureMs: number;
}

/** Times in milliseconds, `at` from the beginning. */
export interface WatchResult {
  readonly answers: readonly { readonly at: number; readonly status: number; readonly took: number }[];
  /** When purchases were paid for. */
  readonly sales: readonly number[];
}

/** Tells which products there are. */
export interface ProductsJob {
  readonly kind: 'products';
  readonly productIds: readonly string[];
}

export type Job = LoadJob | PrepareJob | ProductsJob | QuestionsJob | QuoteJob | TwiceJob | WatchJob;

export interface LoadResult {
  readonly perSecond: number;
  readonly requests: number;
  /** With those before and after the measured time. */
  readonly answered: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Share of one core that the load itself used, 0 to 1. */
  readonly driverCpu: number;
}

export interface PrepareResult {
  /** Real answers, one per number of lines, as the ceiling is to give them. */
  readonly addResponses: readonly string[];
  readonly getResponses: readonly string[];
  /** What goes with some of them. */
  readonly suggestResponses: readonly string[];
}

let seed = 1;
let productIds: readonly string[] = [];
let prepared: readonly PreparedBasket[] = [];
let questions: readonly Question[] = [];

const open = (port: number): ShopperOptions => ({
  connection: new HttpConnection(port),
  productIds,
  random: seeded(seed++),
});

/** Asks the ceiling what the shop is asked, with the same bytes; what it answers has no meaning to check. */
const ceilingShopper = ({ connection, random }: ShopperOptions, work: Work): Shopper => {
  const cookie = prepared[0]?.cookie ?? '';
  return {
    next: async () => {
      const productId = productIds[Math.floor(random() * productIds.length)] ?? '';
      const answer =
        work === 'ceiling-add'
          ? await connection.request('POST', addPath, cookie, `{"productId":"${productId}","quantity":1}`)
          : await connection.request('GET', basketPath, cookie, null);
      if (answer.status !== 200 || !answer.body.includes('"itemCount":')) {
        throw new Error(`the ceiling answered ${answer.status}: ${answer.body.toString().slice(0, 200)}`);
      }
    },
  };
};

const shopperFor = (work: Work, port: number, options: ShopperOptions): Shopper => {
  switch (work) {
    case 'add':
      return addingShopper(options);
    case 'get':
      return readingShopper(options, prepared);
    case 'suggest':
    case 'ceiling-suggest':
      return suggestedShopper(options, prepared);
    case 'look':
    case 'ceiling-look':
      return lookingShopper(options, questions);
    case 'purchase':
      return buyingShopper(options, `shopper-${seed}`);
    case 'purchase-elsewhere':
      return redirectedShopper(options, `shopper-${seed}`);
    case 'agent-begin':
      return beginningAgent({ ...options, port });
    case 'agent-purchase':
      return buyingAgent(
        options,
        `agent-${seed}`,
        askingBy(options, () => servedAgent(port)),
      );
    case 'agent-signed-purchase':
      return buyingAgent(options, `agent-${seed}`, askingSigned({ ...options, port }));
    case 'ceiling-add':
    case 'ceiling-get':
      return ceilingShopper(options, work);
  }
};

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

const load = async ({
  work,
  port,
  shoppers,
  warmUpMs,
  measureMs,
  pauseMs = 0,
}: LoadJob): Promise<LoadResult> => {
  const connected = Array.from({ length: shoppers }, () => open(port));
  const latencies: number[] = [];
  let answered = 0;
  const from = performance.now() + warmUpMs;
  const until = from + measureMs;
  let cpuBefore = process.cpuUsage();
  setTimeout(() => (cpuBefore = process.cpuUsage()), warmUpMs);
  const shop = async (options: ShopperOptions): Promise<void> => {
    const shopper = shopperFor(work, port, options);
    for (;;) {
      const started = performance.now();
      if (started >= until) return;
      await shopper.next();
      answered += 1;
      const ended = performance.now();
      if (ended >= from && ended < until) latencies.push(ended - started);
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  try {
    await Promise.all(connected.map(shop));
  } finally {
    for (const { connection } of connected) connection.close();
  }
  const cpu = process.cpuUsage(cpuBefore);
  const measured = performance.now() - from;
  const sorted = Float64Array.from(latencies).sort();
  return {
    perSecond: latencies.length / (measureMs / 1000),
    requests: latencies.length,
    answered,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    driverCpu: (cpu.user + cpu.system) / 1000 / measured,
  };
};

const watch = async ({ port, shoppers, measureMs }: WatchJob): Promise<WatchResult> => {
  const begun = performance.now();
  const sinceBegun = (): number => performance.now() - begun;
  const answers: WatchResult['answers'][number][] = [];
  const sales: number[] = [];
  const shop = async (options: ShopperOptions): Promise<void> => {
    const connection = patientConnection(
      options.connection,
      (status, took) => void answers.push({ at: sinceBegun(), status, took }),
    );
    const shopper = buyingShopper({ ...options, connection }, `patient-${seed}`);
    while (sinceBegun() < measureMs) {
      await shopper.next();
      sales.push(sinceBegun());
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: shoppers }, () => shop(open(port))));
  return { answers, sales };
};

const LINES = [1, 2, 3, 4, 5];
const PREPARED_BY = 16;
const SAMPLES = 50;

const prepare = async ({ port, baskets, isSuggested = false }: PrepareJob): Promise<PrepareResult> => {
  const filled: PreparedBasket[] = [];
  const addResponses: string[] = [];
  const getResponses: string[] = [];
  const suggestResponses: string[] = [];
  let at = 0;
  const fill = async (options: ShopperOptions): Promise<void> => {
    while (at < baskets) {
      const lines = LINES[at++ % LINES.length] ?? 1;
      const shopper = addingShopper(options, lines);
      for (let line = 1; line <= lines; line++)
        addResponses[line - 1] = (await shopper.add()).body.toString();
      // Read once as a browser does, right after the last add; later the cookie for that has expired.
      const shown = await options.connection.request('GET', basketPath, shopper.jar.header, null);
      getResponses[lines - 1] = shown.body.toString();
      const cookie = shopper.jar.header
        .split('; ')
        .filter((pair) => !/^shop_(checkout_)?position=/.test(pair))
        .join('; ');
      if (isSuggested) {
        const answer = await options.connection.request('GET', upsellsPath, cookie, null);
        if (!answer.body.includes('"upsellRuleId"')) continue;
        if (suggestResponses.length < SAMPLES) suggestResponses.push(answer.body.toString());
      }
      filled.push({ cookie, productIds: shopper.lines() });
    }
  };
  const connected = Array.from({ length: PREPARED_BY }, () => open(port));
  await Promise.all(connected.map(fill));
  for (const { connection } of connected) connection.close();
  prepared = filled;
  return { addResponses, getResponses, suggestResponses };
};

const takeQuestions = async ({ port, questions: wanted }: QuestionsJob): Promise<readonly string[]> => {
  questions = wanted;
  const { connection } = open(port);
  const answers: string[] = [];
  for (const question of questions.slice(0, SAMPLES))
    answers.push((await askFor(connection, question)).toString());
  connection.close();
  return answers;
};

const askTwice = async ({ port, questions: asked }: TwiceJob): Promise<TwiceResult> => {
  const { connection } = open(port);
  const took = async (question: Question): Promise<number> => {
    const begun = performance.now();
    await askFor(connection, question);
    return performance.now() - begun;
  };
  const first: number[] = [];
  const again: number[] = [];
  for (const question of asked) {
    first.push(await took(question));
    again.push(await took(question));
  }
  connection.close();
  return { first, again };
};

const quote = async ({ port, baskets, lines }: QuoteJob): Promise<TwiceResult> => {
  const { connection } = open(port);
  const first: number[] = [];
  const again: number[] = [];
  for (let basket = 0; basket < baskets; basket++) {
    const from = (basket * lines) % (productIds.length - lines);
    const goods = { connection, productIds: productIds.slice(from, from + lines) };
    const [one = NaN, other = NaN] = await quoteBasket(goods, 2);
    first.push(one);
    again.push(other);
  }
  connection.close();
  return { first, again };
};

const perform = async (job: Job): Promise<object> => {
  switch (job.kind) {
    case 'products':
      productIds = job.productIds;
      return {};
    case 'questions':
      return takeQuestions(job);
    case 'prepare':
      return prepare(job);
    case 'quote':
      return quote(job);
    case 'twice':
      return askTwice(job);
    case 'load':
      return load(job);
    case 'watch':
      return watch(job);
  }
};

process.on('message', (job: Job) => {
  perform(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
