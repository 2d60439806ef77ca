import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '#test/support/free-port.ts';
import { newId } from '#kernel/ids.ts';
import { services, type Service } from '#values/service.ts';
import { median, milliseconds, percent, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult, PrepareResult } from './load.ts';
import { cpuMilliseconds, filesIn } from './machine.ts';
import { startServer, startShop, untilSettled } from './processes.ts';
import { selfTimes } from './profile.ts';
import { startLoad, type Load } from './workers.ts';

/*
 * Whole purchases with the three services apart, on servers, beside all in one process on the embedded engines. The
 * engines are those that TEST_EVENT_STORE, TEST_READ_STORE and TEST_BUS name, else they are started here: a double of
 * EventStoreDB, mongo-java-server and Kafka. Nothing is pinned: all of them share the machine.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const SHOPPERS = 16;
const PROFILED_FUNCTIONS = 15;

/** Something that runs, and its process where it is ours. */
interface Part {
  readonly name: string;
  readonly pid: number | null;
  stop(): Promise<void>;
}

interface Engine extends Part {
  readonly address: string;
}

/** From the scripts that the tests use. */
const startByScript = async (bench: Bench, name: 'kafka' | 'mongo'): Promise<Engine> => {
  const script = join(root, `test/support/engines/${name}.sh`);
  const folder = join(bench.folder, name);
  const upper = name.toUpperCase();
  const env = {
    ...process.env,
    [`${upper}_DIR`]: folder,
    [`${upper}_PORT`]: String(await freePort()),
    [`${upper}_CONTROLLER_PORT`]: String(await freePort()),
  };
  const run = async (what: string) => (await promisify(execFile)(script, [what], { env })).stdout.trim();
  const address = await run('start');
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  return { name, address, pid, stop: async () => void (await run('stop')) };
};

const startEventStore = async (bench: Bench): Promise<Engine> => {
  const file = join(bench.folder, 'events.log');
  const { line, pid, stop } = await startServer(['test/support/eventstoredb/main.ts', '--file', file]);
  return { name: 'event store', address: line, pid, stop };
};

const given = (name: string, address: string | undefined): Engine | null =>
  address ? { name, address, pid: null, stop: () => Promise.resolve() } : null;

/** As it says what it measures: a double is not a server. */
const describeEngines = (): string => {
  const { TEST_EVENT_STORE, TEST_READ_STORE, TEST_BUS } = process.env;
  return [
    TEST_EVENT_STORE ? 'EventStoreDB' : 'a double of EventStoreDB',
    TEST_READ_STORE ? 'the server of TEST_READ_STORE' : 'mongo-java-server',
    TEST_BUS ? 'the brokers of TEST_BUS' : 'Kafka',
  ].join(', ');
};

interface ServicePart extends Part {
  readonly port: number;
  /** `performance.now()` */
  readonly startedAt: number;
}

interface Stage {
  /** The command service's port: a purchase asks no other. */
  readonly port: number;
  readonly parts: readonly Part[];
}

const startEngines = async (bench: Bench, parts: Part[]): Promise<Readonly<Record<string, string>>> => {
  const { TEST_EVENT_STORE, TEST_READ_STORE, TEST_BUS } = process.env;
  const keep = (engine: Engine): Engine => {
    parts.push(engine);
    return engine;
  };
  const events = keep(given('event store', TEST_EVENT_STORE) ?? (await startEventStore(bench)));
  const read = keep(given('mongo', TEST_READ_STORE) ?? (await startByScript(bench, 'mongo')));
  const bus = keep(given('kafka', TEST_BUS) ?? (await startByScript(bench, 'kafka')));
  const name = `bench_${newId().replaceAll('-', '').slice(-12)}`;
  return {
    EVENT_STORE: events.address,
    READ_STORE: read.address.replace(/^([a-z+]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${name}`),
    BUS: `${bus.address}${bus.address.includes('?') ? '&' : '?'}prefix=${name}.`,
  };
};

const folderOf = ({ folder }: Bench, service: Service): string => join(folder, service);

const startService = async (
  bench: Bench,
  service: Service,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[],
): Promise<ServicePart> => {
  const { storeFile } = bench;
  const dataDir = folderOf(bench, service);
  mkdirSync(dataDir, { recursive: true });
  const outputFile = join(dataDir, 'shop.log');
  const startedAt = performance.now();
  const shop = await startShop({ core: null, dataDir, storeFile, outputFile, service, env, nodeOptions });
  return { name: service, port: shop.port, pid: shop.pid, startedAt, stop: () => shop.stop() };
};

/** What has been started is added to `parts` as it is, also when the rest fails. */
const startApart = async (
  bench: Bench,
  parts: Part[],
  optionsFor: (service: Service) => readonly string[] = () => [],
): Promise<Stage & { readonly services: readonly ServicePart[] }> => {
  const addresses = await startEngines(bench, parts);
  const env = { ...addresses, PUBLIC_BASE_URL: 'http://127.0.0.1', LOG_LEVEL: 'warn' };
  const started = await Promise.all(
    services.map(async (service) => {
      const part = await startService(bench, service, env, optionsFor(service));
      parts.push(part);
      return part;
    }),
  );
  return { port: started[0]?.port ?? 0, parts, services: started };
};

const startTogether = async ({ folder, storeFile }: Bench): Promise<Stage> => {
  const dataDir = join(folder, 'embedded');
  mkdirSync(dataDir);
  const outputFile = join(dataDir, 'shop.log');
  const env = { LOG_LEVEL: 'warn' };
  const shop = await startShop({ core: null, dataDir, storeFile, outputFile, env });
  return { port: shop.port, parts: [{ name: 'shop', pid: shop.pid, stop: () => shop.stop() }] };
};

const cpuOf = ({ pid }: Part): number => (pid === null ? NaN : cpuMilliseconds(pid));

const times = ({ isQuick }: Bench): readonly [warmUpMs: number, measureMs: number] =>
  isQuick ? [1000, 4000] : [3000, 12_000];

interface Slice extends LoadResult {
  /** Milliseconds of CPU for each purchase, by part; whatever follows the log is waited for. */
  readonly cpu: ReadonlyMap<string, number>;
}

const measureSlice = async (bench: Bench, { port, parts }: Stage, load: Load): Promise<Slice> => {
  const [warmUpMs, measureMs] = times(bench);
  const job = { kind: 'load', work: 'purchase', port, shoppers: SHOPPERS, warmUpMs, measureMs } as const;
  const before = parts.map(cpuOf);
  const result = await load.run<LoadResult>(job);
  await untilSettled(port);
  // The warm-up cost CPU, too.
  const purchases = (result.perSecond * (warmUpMs + measureMs)) / 1000;
  const cpu = parts.map(
    (part, index) => [part.name, (cpuOf(part) - (before[index] ?? 0)) / purchases] as const,
  );
  return { ...result, cpu: new Map(cpu) };
};

const cpuText = (slices: readonly Slice[]): string =>
  [...(slices[0]?.cpu.keys() ?? [])]
    .map((name) => {
      const each = median(slices.map(({ cpu }) => cpu.get(name) ?? NaN));
      return `${name} ${Number.isNaN(each) ? 'elsewhere' : milliseconds(each)}`;
    })
    .join(', ');

const figureOf = (where: string, slices: readonly Slice[]): Figure => ({
  work: `whole purchase, ${SHOPPERS} shoppers, ${where}`,
  measured: `${spread(
    slices.map(({ perSecond }) => perSecond),
    whole,
  )} /s, p50 ${milliseconds(median(slices.map(({ p50 }) => p50)))}, p99 ${milliseconds(median(slices.map(({ p99 }) => p99)))}; CPU for one: ${cpuText(slices)}`,
  reach: '',
  isReached: null,
});

export const measureDistributed = async (bench: Bench): Promise<Figure[]> => {
  const parts: Part[] = [];
  const load = await startLoad(null, bench.productIds);
  try {
    const together = await startTogether(bench);
    parts.push(...together.parts);
    const servers: Part[] = [];
    const apart = await startApart(bench, servers).finally(() => parts.push(...servers));
    const slices = { together: [] as Slice[], apart: [] as Slice[] };
    for (const { port } of [together, apart])
      await load.run<PrepareResult>({ kind: 'prepare', port, baskets: 20 });
    // The first runs of both find nothing compiled.
    for (const stage of [together, apart]) await measureSlice(bench, stage, load);
    for (let turn = 1; turn <= bench.runs; turn++) {
      slices.together.push(await measureSlice(bench, together, load));
      slices.apart.push(await measureSlice(bench, apart, load));
      const [one, three] = [slices.together.at(-1), slices.apart.at(-1)];
      bench.say(
        `distributed: run ${turn} of ${bench.runs}: ${whole(three?.perSecond ?? 0)} purchases per second apart, ${whole(one?.perSecond ?? 0)} in one process`,
      );
    }
    return [
      figureOf('all in one process on the embedded engines', slices.together),
      figureOf(`three processes on ${describeEngines()}`, slices.apart),
    ];
  } finally {
    await load.stop();
    // Services before the engines that they say goodbye to.
    for (const part of parts.toReversed()) await part.stop();
  }
};

/** Shows where the services spend their time during purchases, and what everything else used meanwhile. */
export const profileDistributed = async (bench: Bench): Promise<void> => {
  const parts: Part[] = [];
  const load = await startLoad(null, bench.productIds);
  const measuredFrom = new Map<string, number>();
  let slice: Slice;
  try {
    const stage = await startApart(bench, parts, (service) => [
      '--cpu-prof',
      `--cpu-prof-dir=${folderOf(bench, service)}`,
    ]);
    await measureSlice(bench, stage, load);
    const now = performance.now();
    for (const { name, startedAt } of stage.services) measuredFrom.set(name, now - startedAt);
    slice = await measureSlice(bench, stage, load);
  } finally {
    await load.stop();
    for (const part of parts.toReversed()) await part.stop();
  }
  console.log(
    `\n${whole(slice.perSecond)} purchases per second under the profiler; CPU for one: ${cpuText([slice])}`,
  );
  const [warmUpMs, measureMs] = times(bench);
  for (const service of services) {
    const folder = folderOf(bench, service);
    // Workers have profiles of their own; the largest is the main thread's.
    const [file = ''] = filesIn(folder, '.cpuprofile').toSorted(
      (one, other) => statSync(join(folder, other)).size - statSync(join(folder, one)).size,
    );
    console.log(`\n${service}`);
    const from = measuredFrom.get(service) ?? 0;
    for (const { share, name } of selfTimes(
      join(folder, file),
      PROFILED_FUNCTIONS,
      from,
      warmUpMs + measureMs,
    ))
      console.log(`  ${percent(share).padStart(6)}  ${name}`);
  }
};
