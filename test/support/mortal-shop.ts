import { openShop, type Shop } from '../../tillroll.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { loadKeys, type ShopKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { auditEngines, type Audit } from './audit-shop.ts';
import { faultyEventStore, holds, type FaultyEventStore } from './faults.ts';
import { freePort } from './free-port.ts';
import { lowCost, ShopAt, testEnvironment } from './shop.ts';
import type { Death } from './shop-process.ts';

/** When it dies over a row of the state store. */
export interface RowDeath {
  readonly when: 'before' | 'after';
  readonly rowIn: string;
  /** One that is there already. */
  readonly isChanged?: true;
}

interface Fate {
  readonly isDead: () => boolean;
  readonly die: () => void;
  readonly over: RowDeath | null;
}

/** Whether a call writes such a row. */
const writesTo = (
  { rowIn: collection, isChanged }: RowDeath,
  name: unknown,
  [first]: readonly unknown[],
): boolean => {
  if (isChanged) return name === 'updateIf' && first === collection;
  if (name === 'insertIfAbsent') return first === collection;
  const writes = name === 'write' ? (first as readonly { readonly collection: string }[]) : [];
  return writes.some((write) => write.collection === collection);
};

/** Engines that a process shares with its successors: once it is dead, nothing that it does reaches them. */
const mortal = (engines: Engines, { isDead, die, over }: Fate): Engines => {
  const away = new Error('the process is dead');
  const guard = <Engine extends object>(engine: Engine): Engine =>
    new Proxy(engine, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          if (name === 'close') return Promise.resolve();
          const call = (): unknown => Reflect.apply(member, target, given);
          if (!isDead() && over && writesTo(over, name, given)) {
            if (over.when === 'before') die();
            else
              return (call() as Promise<unknown>).then(() => {
                die();
                throw away;
              });
          }
          if (!isDead()) return call();
          if (name === 'subscribe') throw away;
          return Promise.reject(away);
        };
      },
    });
  const { store, readStore, stateStore, bus } = engines;
  return { store: guard(store), readStore: guard(readStore), stateStore: guard(stateStore), bus: guard(bus) };
};

interface Life {
  readonly shop: Shop;
  readonly server: HttpServer;
  readonly log: FaultyEventStore;
  readonly dieNext: (at: Death) => void;
  readonly died: Promise<void>;
  readonly isDead: () => boolean;
}

/** A shop in this process that can die and be opened again on what it has left: a restart costs milliseconds. */
export class MortalShop extends ShopAt {
  readonly #config: Config;
  readonly #keys: ShopKeys;
  /** What lives leave behind. */
  readonly engines: Engines;
  readonly #port: number;
  #life: Life | null = null;

  private constructor(config: Config, engines: Engines, port: number) {
    super(`http://127.0.0.1:${port}`);
    this.#config = config;
    this.#keys = loadKeys(config);
    this.engines = engines;
    this.#port = port;
  }

  /** Of the life that it lives now. */
  get log(): FaultyEventStore {
    if (!this.#life) throw new Error('it does not live');
    return this.#life.log;
  }

  /** From now on it is to die, in the life that it lives. */
  dieNext(at: Death): void {
    this.#life?.dieNext(at);
  }

  /** Furnished, and alive. */
  static async open(environment: Readonly<Record<string, string>> = {}): Promise<MortalShop> {
    const config = loadConfig({ env: { ...testEnvironment(), ...environment } });
    const shop = new MortalShop(config, await openEngines(config.engines), await freePort());
    await shop.live();
    await shop.furnish();
    return shop;
  }

  /** Opens it on what the one before has left; that is over, dead or not. */
  async live(diesAt?: Death | RowDeath): Promise<void> {
    await this.#end();
    const death = Promise.withResolvers<void>();
    let isDead = false;
    const die = (): void => {
      isDead = true;
      death.resolve();
    };
    const over = diesAt && 'rowIn' in diesAt ? diesAt : null;
    const engines = mortal(this.engines, { isDead: () => isDead, die, over });
    const log = faultyEventStore(engines.store);
    const dieNext = ({ when, eventType }: Death): void =>
      log[when === 'before' ? 'runBefore' : 'runAfter']('append', holds(eventType), () => {
        die();
        throw new Error('the process has died');
      });
    if (diesAt && 'eventType' in diesAt) dieNext(diesAt);
    const [config, keys] = [this.#config, this.#keys];
    const shop = await openShop({
      ...{ config, keys, log: silentLogger(), passwordCost: lowCost },
      engines: { ...engines, store: log },
    });
    // It may die of what it finds to be done.
    await Promise.race([shop.prepare(), death.promise]);
    const server = await listen(shop.app, this.#port, '127.0.0.1');
    this.#life = { shop, server, log, dieNext, died: death.promise, isDead: () => isDead };
  }

  /** Asks for what kills it: nobody hears an answer. */
  async dieOf(asking: Promise<unknown>): Promise<void> {
    asking.catch(() => undefined);
    await Promise.race([
      this.#life?.died,
      asking.then((answer) => Promise.reject(new Error(`the shop lives on: ${JSON.stringify(answer)}`))),
    ]);
  }

  /** Asks for what has it die in the background, whether or not somebody hears the answer. */
  async dieAfter(asking: Promise<unknown>): Promise<void> {
    asking.catch(() => undefined);
    await this.#life?.died;
  }

  /** Dies of what is asked for, and is back: whoever asked hears no answer. */
  async killedBy(asking: Promise<unknown>): Promise<void> {
    await this.dieOf(asking);
    await this.live();
  }

  /** Its sales, once everything is at rest; throws where what it has left does not add up. */
  async soundSales(): Promise<number> {
    const { sales, problems } = await this.audit();
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return sales;
  }

  /** Lets everything come to rest, closes the shop and checks what it has left. */
  async audit(): Promise<Audit> {
    await this.settle();
    await this.#end();
    return auditEngines({ engines: this.engines, applicationKey: this.#keys.applicationKey });
  }

  async close(): Promise<void> {
    await this.#end();
    await closeEngines(this.engines);
  }

  async #end(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.server.stop();
    // A dead one cannot give back what it was at.
    await life?.shop.stop().catch((error: unknown) => {
      if (!life.isDead()) throw error;
    });
  }
}

/** A shop for each test of a suite: furnished, and alive. */
export const useMortalShop = (
  environment: Readonly<Record<string, string>> = {},
): { readonly shop: MortalShop } => {
  const at = {} as { shop: MortalShop };
  beforeEach(async () => {
    at.shop = await MortalShop.open(environment);
  });
  afterEach(() => at.shop.close());
  return at;
};
