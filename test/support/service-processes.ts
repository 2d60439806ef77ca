import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GatewayRow } from '#http/route-list.ts';
import { loadConfig } from '#runtime/config.ts';
import { services, type Service } from '#values/service.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import { auditDeliveriesOn } from './audit-deliveries.ts';
import { auditEngines, type Acknowledged, type Audit } from './audit-shop.ts';
import { freePort } from './free-port.ts';
import { startGateway, type Gateway } from './gateway.ts';
import {
  openSharedEngines,
  type EngineAddresses,
  type SharedEngines,
  type Servers,
} from './shared-engines.ts';
import { ShopAt, TESTING_SECRET } from './shop.ts';
import { auditNoticesOn, type ExpectedNotices } from './storm-notices.ts';
import type { Received } from './subscriber.ts';
import {
  bundle,
  compileCache,
  processEnvironment,
  root,
  scriptOf,
  TillrollProcess,
  writeStoreFile,
} from './tillroll-process.ts';

const DELIVERY_WINDOW_SECONDS = 400;

/** As a gateway gets it: printed by the command line. */
const printGatewayTable = async (): Promise<string> => {
  const args = [scriptOf('.config/tillroll.js'), 'routes', '--gateway', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    // With the secret, so that the test endpoints are among them.
    env: { PATH: process.env['PATH'], TESTING_SECRET, NODE_COMPILE_CACHE: compileCache },
    maxBuffer: 10_000_000,
  });
  return stdout;
};

/** A bundle is of one source, which has one table. */
const readGatewayTable = async (): Promise<readonly GatewayRow[]> => {
  const kept = bundle && join(bundle, 'gateway-table.json');
  const table = kept && existsSync(kept) ? readFileSync(kept, 'utf8') : await printGatewayTable();
  // Written beside and renamed, since other suites look for it.
  if (kept && !existsSync(kept)) {
    writeFileSync(`${kept}.${process.pid}`, table);
    renameSync(`${kept}.${process.pid}`, kept);
  }
  return JSON.parse(table) as readonly GatewayRow[];
};

/** One for all suites of a run: routes do not depend on the engines. */
let gatewayTable: Promise<readonly GatewayRow[]> | null = null;

/** One service in a process of its own, or all of them in one, asked without the gateway. */
export class ServiceProcess extends TillrollProcess {
  readonly service: Service | 'whole shop';

  constructor(service: Service | 'whole shop', port: number, environment: NodeJS.ProcessEnv) {
    const name = service === 'whole shop' ? 'the shop' : `the ${service} service`;
    super({ name, port, environment });
    this.service = service;
  }

  override launch(): void {
    const service = this.service === 'whole shop' ? [] : [this.service];
    this.serve([scriptOf('.config/tillroll.js'), 'start', ...service]);
  }
}

export interface ServiceProcessesOptions {
  readonly engines: EngineAddresses;
  /** How many replicas; one of each by default. Without servers all services are in one process. */
  readonly replicas?: Partial<Record<Service, number>>;
  /** What STORE_FILE holds; left out: an empty store, which is furnished. */
  readonly storeFile?: object;
  /** Over the usual settings of every process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The three services as processes of their own on shared servers, or all in one process beside an event store, behind a
 * gateway that knows no stickiness.
 */
export class ServiceProcesses extends ShopAt {
  readonly all: readonly ServiceProcess[];
  /** The gateway's. */
  readonly url: string;
  readonly #gateway: Gateway;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #folder: string;

  private constructor(
    gateway: Gateway,
    folder: string,
    environment: NodeJS.ProcessEnv,
    all: readonly ServiceProcess[],
  ) {
    super(gateway.url);
    this.url = gateway.url;
    this.#gateway = gateway;
    this.#folder = folder;
    this.#environment = environment;
    this.all = all;
  }

  /** Resolves once all of them are ready and the store is there. */
  static async open(options: ServiceProcessesOptions): Promise<ServiceProcesses> {
    const gateway = await startGateway();
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-services-'));
    const environment = environmentOf(options, gateway.url, folder);
    const apart = services.flatMap((service) =>
      Array.from({ length: options.replicas?.[service] ?? 1 }, () => service),
    );
    const wanted = options.engines.others ? apart : (['whole shop'] as const);
    const all: ServiceProcess[] = [];
    for (const service of wanted) all.push(new ServiceProcess(service, await freePort(), environment));
    const shop = new ServiceProcesses(gateway, folder, environment, all);
    try {
      for (const one of all) one.launch();
      gateway.route(await (gatewayTable ??= readGatewayTable()), {
        command: shop.replicas('command').map(({ port }) => port),
        projection: shop.replicas('projection').map(({ port }) => port),
        dispatcher: shop.replicas('dispatcher').map(({ port }) => port),
      });
      await shop.ready();
      if (options.storeFile === undefined) await shop.furnish();
      return shop;
    } catch (error) {
      await shop.close();
      throw error;
    }
  }

  replicas(service: Service): readonly ServiceProcess[] {
    return this.all.filter((one) => one.service === service || one.service === 'whole shop');
  }

  /** Resolves once every process is ready. */
  async ready(): Promise<void> {
    await Promise.all(this.all.map((one) => one.ready()));
  }

  /** Errors: with what each process printed last. */
  override settle(): Promise<void> {
    return this.withPrinted(super.settle());
  }

  /** The work; its error with what each process printed last. */
  withPrinted<Done>(work: Promise<Done>): Promise<Done> {
    return work.catch((error: unknown) => {
      const printed = this.all.map((one) => `${one.service} on port ${one.port} printed:\n${one.printed}`);
      throw new Error([String(error), ...printed].join('\n'), { cause: error });
    });
  }

  /**
   * A delivery or notice whose worker was killed over it, or did not hear that it had claimed it, waits in state
   * Sending until its window is over: this moves the shop's clock past that.
   */
  async passDeliveryWindow(): Promise<void> {
    await this.tester.post('/testing/clock', { advanceSeconds: DELIVERY_WINDOW_SECONDS });
    for (const job of ['deliver-webhooks', 'deliver-agent-notifications']) {
      const path = `/testing/jobs/${job}`;
      const { status, body } = await this.tester.post(path);
      if (status !== 200) throw new Error(`${path} answered ${status} ${JSON.stringify(body)}`);
    }
  }

  /**
   * Lets everything come to rest, stops every process in good order and checks the data that is left on the engines,
   * with what a receiver that was subscribed to everything from the start has got, and with what agents were told.
   */
  async audit(
    acknowledged: Acknowledged = {},
    received?: readonly Received[],
    notices?: ExpectedNotices,
  ): Promise<Audit & { readonly deliveries: number }> {
    await this.passDeliveryWindow();
    await this.settle();
    await Promise.all(this.all.map((one) => one.stop()));
    const { engines: choices, applicationKey } = loadConfig({ env: this.#environment });
    if (!applicationKey) throw new Error('without its key the shop cannot be read');
    const engines = await openEngines(choices, { readOnly: true });
    try {
      const { problems, ...audit } = await auditEngines({ engines, applicationKey, acknowledged });
      const stopped = { engines, applicationKey };
      const sent = received && (await auditDeliveriesOn({ ...stopped, received }));
      const told = notices && (await auditNoticesOn({ ...stopped, ...notices }));
      return {
        ...audit,
        deliveries: sent?.deliveries ?? 0,
        problems: [...problems, ...(sent?.problems ?? []), ...(told ?? [])],
      };
    } finally {
      await closeEngines(engines);
    }
  }

  /** Ends every process. What they wrote stays on the engines. */
  async close(): Promise<void> {
    await this.#gateway.close();
    await Promise.all(this.all.map((one) => one.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const environmentOf = (
  { engines, storeFile, env }: ServiceProcessesOptions,
  gatewayUrl: string,
  folder: string,
): NodeJS.ProcessEnv =>
  processEnvironment(folder, {
    EVENT_STORE: engines.eventStore,
    ...(engines.others ? { READ_STORE: engines.others.readStore, BUS: engines.others.bus } : {}),
    STORE_FILE: storeFile ? writeStoreFile(folder, storeFile) : 'none',
    APPLICATION_KEY: randomBytes(32).toString('base64'),
    PUBLIC_BASE_URL: gatewayUrl,
    ALLOW_LOOPBACK_TARGETS: 'true',
    Store__storeCurrencyCode: 'GBP',
    Store__defaultShippingCountry: 'GB',
    ...env,
  });

/** What the tests of a suite work with, once it has begun. */
export interface ShopOnServers {
  readonly shop: ServiceProcesses;
  readonly engines: SharedEngines;
}

/** Gives a suite a shop and engines of its own on these servers, from its first test to its last. */
export const useShopOn = (
  servers: () => Servers | Promise<Servers>,
  options: Omit<ServiceProcessesOptions, 'engines'>,
): ShopOnServers => {
  const open: { engines?: SharedEngines; shop?: ServiceProcesses } = {};
  const there = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the suite has not begun');
    return part;
  };
  before(async () => {
    open.engines = await openSharedEngines(await servers());
    open.shop = await ServiceProcesses.open({ ...options, engines: open.engines.addresses });
  });
  after(async () => {
    await open.shop?.close();
    await open.engines?.close();
  });
  return {
    get shop() {
      return there(open.shop);
    },
    get engines() {
      return there(open.engines);
    },
  };
};
