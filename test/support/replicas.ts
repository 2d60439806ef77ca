import { openShop, type Shop } from '../../tillroll.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { faultyEventStore, holds, type FaultyEventStore } from './faults.ts';
import { lowCost, testEnvironment } from './shop.ts';

/** A process of the shop, and the faults between it and the log. */
export interface Replica {
  readonly shop: Shop;
  readonly server: HttpServer;
  readonly base: string;
  readonly log: FaultyEventStore;
}

interface ReplicaOptions {
  /** It takes earlier processes for dead as soon as it starts. */
  readonly isOnlyWriter?: boolean;
  /** Settings that differ from the others'. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Processes of one shop, on the same engines. */
export const openReplicas = async (environment: Readonly<Record<string, string>> = {}) => {
  const given = { ...testEnvironment(), ...environment };
  const keys = loadKeys(loadConfig({ env: given }));
  const engines = await openEngines(loadConfig({ env: given }).engines);
  const started: Replica[] = [];
  const start = async ({ isOnlyWriter = false, environment: own = {} }: ReplicaOptions = {}) => {
    const config = loadConfig({ env: { ...given, ...own } });
    const log = faultyEventStore({
      ...faultyEventStore(engines.store),
      isOnlyWriter,
      close: () => Promise.resolve(),
    });
    const shop = await openShop({
      ...{ config, keys, log: silentLogger(), passwordCost: lowCost },
      engines: { ...engines, store: log },
    });
    await shop.prepare();
    const server = await listen(shop.app, 0, '127.0.0.1');
    const replica: Replica = { shop, log, server, base: `http://127.0.0.1:${server.port}` };
    started.push(replica);
    return replica;
  };
  const stop = async (): Promise<void> => {
    for (const { server, shop } of started.reverse()) {
      await server.stop();
      await shop.stop();
    }
  };
  return { start, stop };
};

/** Lets a process come to a halt just before it appends an event of this type. */
export const haltBefore = (log: FaultyEventStore, type: string) => {
  const halted = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  log.runBefore('append', holds(type), () => {
    halted.resolve();
    return woken.promise;
  });
  return { halted: halted.promise, wake: () => woken.resolve() };
};
