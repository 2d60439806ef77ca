import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { sandboxProvider } from '#adapters/payment-providers/sandbox-provider.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import { createTextCipher } from '#log/encryption.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { pause } from '#runtime/back-off.ts';
import { createKeyedHash, keyFor } from '#runtime/keys.ts';
import { workUnder } from '#runtime/leases.ts';
import type { House } from '../shared-kernel/house.ts';
import { joinContributions, type Contribution } from '../shared-kernel/module.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import type { Actions } from './actions.ts';
import { createClaims } from './engine/claims.ts';
import type { CommandEngine } from './engine/command-engine.ts';
import { createEngineMetrics } from './engine/engine-metrics.ts';
import { createCommandEngine } from './engine/handle-command.ts';
import { housekeeping } from './engine/housekeeping.ts';
import { createIdempotency } from './engine/idempotency.ts';
import { openModules, type CreatedModules, type OpenModules } from './engine/open-modules.ts';
import { createProcessRunner, type ProcessRunner } from './engine/resume-processes.ts';
import { alone, runUnderLease } from './engine/run-alone.ts';
import type { ModuleDeps } from './engine/module.ts';
import { createStreams } from './engine/streams.ts';
import { modules } from './modules.ts';

export interface CommandService extends RunningService {
  readonly deps: ModuleDeps;
  /** What can be done without a request. */
  readonly actions: Actions;
}

/** The head of the log is reached long before; reference state says so itself when it is not. */
const READY_MILLISECONDS = 60_000;
const OPENING_MILLISECONDS = 5000;
const REACH_HEAD_MILLISECONDS = 5000;

/** One replica after another: those that come later find the store open. */
const inTurn = async ({ leases, store }: House, work: () => Promise<void>): Promise<void> => {
  if (store.isOnlyWriter) return work();
  for (;;) {
    const lease = await leases.acquire('open-store', 'command', OPENING_MILLISECONDS);
    if (lease) return workUnder(lease, OPENING_MILLISECONDS, work);
    await pause(200);
  }
};

const isAtHead = async ({ follower, store }: House, milliseconds: number): Promise<boolean> =>
  follower.waitFor(await store.head(), milliseconds);

const reachHead = async (house: House): Promise<void> => {
  if (!(await isAtHead(house, REACH_HEAD_MILLISECONDS)))
    throw new EngineUnavailable('reference state does not keep up with the log');
};

const runProcesses = (
  house: House,
  { openInstances }: OpenModules,
  { drivers }: CreatedModules,
): ProcessRunner =>
  createProcessRunner({
    open: openInstances,
    leases: house.leases,
    isOnlyWriter: house.store.isOnlyWriter,
    log: house.log,
    whenReady: async () => {
      await isAtHead(house, READY_MILLISECONDS);
    },
    drivers,
  });

/** What the processes show of themselves. */
const processParts = (house: House, processes: ProcessRunner): Contribution => ({
  followers: [
    {
      name: 'processes',
      // What is open is known up to where reference state is.
      passed: async (position, timeoutMs) =>
        (await house.follower.waitFor(position, timeoutMs)) && processes.idle(timeoutMs),
    },
  ],
  measure: (metrics) =>
    metrics.gauge('tillroll_open_processes', 'Processes under way', () => processes.openCount()),
});

/** What every module is given. Adapters are chosen here. */
const createDeps = async (
  { house, settings, config, keys }: ServiceOptions,
  commands: CommandEngine,
  { actions: neighbours, storeLists }: OpenModules,
): Promise<ModuleDeps> => {
  const { store, stateStore, clock, reference, leases, log } = house;
  const keyedHash = createKeyedHash(keys.applicationKey);
  const sources = { reference, clock, settings, keyedHash, neighbours };
  return {
    ...sources,
    commands,
    streams: createStreams(commands, sources),
    claims: createClaims({ commands, keyedHash }),
    stateStore,
    store,
    config,
    keys,
    log,
    limits: await createRateLimits({ stateStore, now: () => clock.now(), keyedHash }),
    runAlone: store.isOnlyWriter ? alone : runUnderLease(leases),
    reachHead: () => reachHead(house),
    providers: [
      manualProvider(config.payments.manualHoldMinutes),
      await sandboxProvider({ stateStore, clock }),
    ],
    storeLists,
  };
};

/** Puts the command service together: everything that changes something. */
const createCommandService = async (
  options: ServiceOptions,
  opened: OpenModules,
): Promise<CommandService> => {
  const { house, keys } = options;
  const { store, stateStore, clock, follower, codec, log, instanceId } = house;
  const metrics = createEngineMetrics();
  const { onAppended } = metrics;
  const reference = follower;
  const commands = createCommandEngine({ store, codec, stateStore, clock, reference, log, onAppended });
  const deps = await createDeps(options, commands, opened);
  const created = await opened.create(deps);
  const processes = runProcesses(house, opened, created);
  const engine: Contribution = {
    jobs: housekeeping(stateStore, deps.limits),
    measure: (all) => metrics.measure(commands, all),
  };
  const joined = joinContributions([engine, processParts(house, processes), ...created.contributions]);
  return {
    ...joined,
    service: 'command',
    deps,
    actions: opened.actions,
    idempotency: await createIdempotency({
      stateStore,
      cipher: createTextCipher(keyFor(keys.applicationKey, 'idempotency')),
      instanceId,
      isOnlyWriter: store.isOnlyWriter,
      log,
    }),
    start: () => processes.start(),
    prepare: (onProgress) =>
      inTurn(house, async () => {
        await isAtHead(house, READY_MILLISECONDS);
        await joined.prepare(onProgress);
      }),
    stop: async () => {
      await processes.stop();
      await joined.stop();
      await commands.drain();
    },
  };
};

export const commandPlan = (): ServicePlan<CommandService> => {
  const opened = openModules(modules);
  return { parts: opened.parts, create: (options) => createCommandService(options, opened) };
};
