import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { gatewayTable } from '#http/route-list.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { services, type Service } from '#values/service.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { Engines } from '../../shared-kernel/open-engines.ts';
import type { OpenServices } from '../../shared-kernel/open-services.ts';
import { openService } from '../../tillroll.ts';
import { faultyEventStore, type FaultyEventStore } from './faults.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { ShopAt, testEnvironment } from './shop.ts';

/** Opens the engines for one process, on what all of them share. */
export type OpenForProcess = () => Promise<Engines>;

/** A log in memory that several "processes" of a test share. */
export const sharedLog = (): FaultyEventStore => ({
  ...faultyEventStore(createMemoryEventStore()),
  isOnlyWriter: false,
  close: () => Promise.resolve(),
});

/** The engines beside the log, likewise. */
export const sharedStores = (): Omit<Engines, 'store'> => ({
  readStore: lasting(createMemoryDocumentStore({ isShared: true })),
  stateStore: lasting(createMemoryDocumentStore({ isShared: true })),
  bus: lasting(createMemoryBus()),
});

/** Engines in memory that several "processes" of a test share, as they would share servers. */
export const sharedMemory = (): { readonly log: FaultyEventStore; readonly open: OpenForProcess } => {
  const log = sharedLog();
  const stores = sharedStores();
  return { log, open: () => Promise.resolve({ store: log, ...stores }) };
};

/** The engine for processes that come and go: it stays when one of them closes it. */
const lasting = <Engine extends { close(): Promise<void> }>(engine: Engine): Engine =>
  new Proxy(engine, {
    get: (target, name) => {
      if (name === 'close') return () => Promise.resolve();
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

/** A service that runs apart from the others: in the process of the test, but sharing its engines with them only. */
export interface Replica extends OpenServices {
  readonly service: Service;
  readonly server: HttpServer;
  /** Itself, without the gateway. */
  readonly at: ShopAt;
}

export interface DistributedShopOptions {
  readonly engines: OpenForProcess;
  /** How many replicas; one of each by default. */
  readonly replicas?: Partial<Record<Service, number>>;
  readonly settings?: Partial<StoreSettings>;
  /** Further settings of every process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The three services apart, each in as many replicas as wanted, behind a gateway without stickiness. Furnished. */
export class DistributedShop extends ShopAt {
  readonly #gateway: Gateway;
  readonly #options: DistributedShopOptions;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #running: Replica[] = [];

  private constructor(gateway: Gateway, options: DistributedShopOptions) {
    super(gateway.url);
    this.#gateway = gateway;
    this.#options = options;
    this.#environment = {
      ...testEnvironment(options.settings),
      PUBLIC_BASE_URL: gateway.url,
      ALLOW_LOOPBACK_TARGETS: 'true',
      ...options.environment,
    };
  }

  static async open(options: DistributedShopOptions): Promise<DistributedShop> {
    const shop = new DistributedShop(await startGateway(), options);
    const wanted = services.flatMap((service) =>
      Array.from({ length: options.replicas?.[service] ?? 1 }, () => service),
    );
    await Promise.all(wanted.map((service) => shop.start(service)));
    await shop.furnish();
    return shop;
  }

  /** The replicas of a service, the oldest first. */
  replicas(service: Service): readonly Replica[] {
    return this.#running.filter((one) => one.service === service);
  }

  /** One more replica; answers once it is ready, or, where that is not waited for, once it has a port. */
  async start(service: Service, { isReady = true } = {}): Promise<Replica> {
    const config = loadConfig({ env: this.#environment });
    const opened = await openService(service, {
      config,
      keys: loadKeys(config),
      engines: await this.#options.engines(),
      log: silentLogger(),
    });
    const preparing = opened.prepare();
    if (isReady) await preparing;
    else preparing.catch(() => undefined);
    const server = await listen(opened.app, 0, '127.0.0.1');
    const replica = { ...opened, service, server, at: new ShopAt(`http://127.0.0.1:${server.port}`) };
    this.#running.push(replica);
    this.#route();
    return replica;
  }

  /** Ends a replica in good order. */
  async stop(replica: Replica): Promise<void> {
    this.#running.splice(this.#running.indexOf(replica), 1);
    this.#route();
    await replica.server.stop();
    await replica.stop();
  }

  async close(): Promise<void> {
    await this.#gateway.close();
    await Promise.all([...this.#running].map((replica) => this.stop(replica)));
  }

  #route(): void {
    const oneOfEach = services.flatMap((service) => this.replicas(service).slice(0, 1));
    const portsOf = (service: Service) => this.replicas(service).map(({ server }) => server.port);
    this.#gateway.route(gatewayTable(oneOfEach.flatMap(({ routes }) => routes)), {
      command: portsOf('command'),
      projection: portsOf('projection'),
      dispatcher: portsOf('dispatcher'),
    });
  }
}
