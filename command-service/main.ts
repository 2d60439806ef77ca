import { readFile } from 'node:fs/promises';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { listSandboxCharges, sandboxProvider } from '#adapters/payment-providers/sandbox-provider.ts';
import { pause } from '#runtime/back-off.ts';
import { createResolver } from '#runtime/check-target.ts';
import { createTextCipher } from '#log/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import { workUnder } from '#runtime/leases.ts';
import { declareWebhookLog, readWebhookLog } from '#runtime/webhook-log.ts';
import { createRateLimits, type RateLimits } from '#http/rate-limit.ts';
import type { Route } from '#http/route.ts';
import { createTokens } from '#runtime/tokens.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import type { Config } from '#runtime/config.ts';
import { createKeyedHash, loadKeys } from '#runtime/keys.ts';
import { createLogger } from '#runtime/logging.ts';
import { createTiming, type Metrics, type Timing } from '#runtime/metrics.ts';
import { openHouse, type House } from '../shared-kernel/house.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import type { ImportStore } from './cli.ts';
import { sandboxChargeRoutes } from './contexts/payments/sandbox-charges.routes.ts';
import { createUnpaidInvoices, type UnpaidInvoices } from './contexts/orders/unpaid-invoices.ts';
import { createUserActions } from './contexts/identity/user.actions.ts';
import { createSignInGuard } from './contexts/identity/sign-in-guard.ts';
import { userRoutes } from './contexts/identity/user.routes.ts';
import { createCommandEngine, type RunningCommandEngine } from './engine/handle-command.ts';
import {
  createSubscriptionActions,
  type SubscriptionActions,
} from './contexts/webhooks/subscription.actions.ts';
import { subscriptionRoutes } from './contexts/webhooks/subscription.routes.ts';
import { createIdempotency } from './engine/idempotency.ts';
import { createOpenInstances, type OpenInstances } from './engine/open-instances.ts';
import { processes } from './processes.ts';
import type { ProcessRunner } from './engine/resume-processes.ts';
import { alone, runUnderLease } from './engine/run-alone.ts';
import { createStreams } from './engine/streams.ts';
import { timedProvider } from './timed-provider.ts';
import { buildCheckout, buildProcesses, shopRoutes, type Checkout, type ShopProvider } from './checkout.ts';
import type { CommandDeps } from './engine/service-deps.ts';
import { commandJobs } from './jobs.ts';
import type { Management } from './management.ts';

export interface CommandServiceOptions extends ServiceOptions {
  /** Folded by the house's follower. */
  readonly openInstances: OpenInstances;
  /** Likewise. */
  readonly unpaidInvoices: UnpaidInvoices;
}

export interface CommandService extends RunningService {
  readonly deps: CommandDeps;
  readonly management: Management;
  /** What shoppers and staff can have done, without a request. */
  readonly actions: Pick<Checkout, 'baskets' | 'checkout' | 'payments'> &
    Pick<Management, 'stock'> & { readonly subscriptions: SubscriptionActions };
  /**
   * Fixes the store's currency and, on a first start, imports the store file. Errors: `InvalidStoreFile`, Rejection
   * `store-currency-fixed`.
   */
  prepare(onProgress?: (done: number, total: number) => void): Promise<void>;
  /** Resumes what a crash left open. */
  start(): void;
}

const READY_MILLISECONDS = 60_000;
const OPENING_MILLISECONDS = 5000;
const REACH_HEAD_MILLISECONDS = 5000;

const buildProviders = async (
  house: House,
  { providers: aliases, offered, manualHoldMinutes }: Config['payments'],
  timing: Timing,
): Promise<ShopProvider[]> => {
  const { stateStore, clock } = house;
  const all = [manualProvider(manualHoldMinutes), await sandboxProvider({ stateStore, clock })];
  return aliases.map((alias) => {
    const provider = all.find((known) => known.alias === alias);
    if (provider) return { ...timedProvider(provider, timing), isOffered: offered.includes(alias) };
    const known = all.map((one) => one.alias).join(', ');
    throw new Error(`Payments.Providers names ${alias}; this shop knows ${known}`);
  });
};

const demoStore = new URL('./contexts/store/demo-store.json', import.meta.url);

const readStoreFile = ({ storeFile }: Config): Promise<string> | null => {
  if (storeFile.kind === 'none') return null;
  return readFile(storeFile.kind === 'file' ? storeFile.path : demoStore, 'utf8');
};

const openStore = async (
  { house, config }: CommandServiceOptions,
  { importStore, settings }: Management,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  await house.follower.waitFor(await house.store.head(), READY_MILLISECONDS);
  const configuredCurrency = config.store.storeCurrencyCode ?? null;
  const text = house.reference.settings.isStoreImported() ? null : await readStoreFile(config);
  if (text !== null) {
    await importStore(text, { configuredCurrency, onProgress: ({ done, total }) => onProgress(done, total) });
  }
  const currency =
    configuredCurrency ?? (await settings.currency()) ?? house.reference.settings.current().storeCurrencyCode;
  const correlationId = newId();
  await settings.open(currency, {
    correlationId,
    causationId: correlationId,
    actor: { kind: 'system', id: null },
  });
};

/** One replica after another: those that come later find the store open. */
const inTurn = async ({ leases, store }: House, work: () => Promise<void>): Promise<void> => {
  if (store.isOnlyWriter) return work();
  for (;;) {
    const lease = await leases.acquire('open-store', 'command', OPENING_MILLISECONDS);
    if (lease) return workUnder(lease, OPENING_MILLISECONDS, work);
    await pause(200);
  }
};

const returnHostsOf = ({ protocol, publicBaseUrl, storefront }: Config) => ({
  own: protocol.publicBaseUrl || publicBaseUrl,
  allowed: storefront.allowedReturnHosts,
});

const createTimings = () => ({
  append: createTiming('tillroll_append_seconds', 'Time until the log has taken an append'),
  charge: createTiming('tillroll_provider_seconds', 'Time of a payment provider to answer a charge', [
    'provider',
    'outcome',
  ]),
});

const measure = (
  engine: RunningCommandEngine,
  processes: ProcessRunner,
  unpaid: UnpaidInvoices,
  { append, charge }: ReturnType<typeof createTimings>,
  metrics: Metrics,
): void => {
  metrics.timing(append);
  metrics.timing(charge);
  const { counters } = engine;
  const read = counters.bind(engine);
  metrics.gauge('tillroll_commands_total', 'Commands carried out since the start', () => read().commands);
  metrics.gauge('tillroll_appends_total', 'Appends since the start', () => read().appends);
  metrics.gauge('tillroll_mailbox_depth', 'Commands that wait', () => read().mailboxDepth);
  metrics.gauge(
    'tillroll_engine_unavailable_total',
    'Appends an engine did not answer',
    () => read().unavailable,
  );
  metrics.gaugeBy('tillroll_conflicts_total', 'Appends that met a conflict', 'category', () =>
    Object.entries(read().conflicts),
  );
  metrics.gauge('tillroll_unpaid_invoices', 'Invoices that nobody has paid yet', () => unpaid.count());
  metrics.gauge('tillroll_open_processes', 'Processes under way', () => processes.openCount());
};

const backofficeUsers = async (
  { house, config, keys }: CommandServiceOptions,
  limits: RateLimits,
): Promise<readonly Route[]> => {
  const { stateStore, clock } = house;
  const { tokenHours, signInAttemptsPerMinute: attemptsPerMinute } = config.backoffice;
  const tokens = createTokens(keys.tokenKey, () => clock.now());
  const actions = await createUserActions({ stateStore, clock, tokens, tokenHours });
  const keyedHash = createKeyedHash(keys.applicationKey);
  return userRoutes({ actions, signInGuard: createSignInGuard({ limits, attemptsPerMinute, keyedHash }) });
};

const subscriptionActions = (deps: CommandDeps, { config }: CommandServiceOptions): SubscriptionActions =>
  createSubscriptionActions({
    ...deps,
    policy: {
      allowLoopback: config.allowLoopbackTargets,
      allowPrivate: config.webhooks.allowPrivateTargets,
    },
    resolve: createResolver(),
    defaultTimeoutSeconds: config.webhooks.defaultTimeoutSeconds,
  });

const webhookRoutes = async (
  { stateStore }: CommandDeps,
  actions: SubscriptionActions,
): Promise<readonly Route[]> => {
  await declareWebhookLog(stateStore);
  return subscriptionRoutes({ actions, logOf: (id) => readWebhookLog(stateStore, id) });
};

const routesOf = async (
  options: CommandServiceOptions,
  parts: Checkout,
  subscriptions: SubscriptionActions,
  limits: RateLimits,
): Promise<readonly Route[]> => [
  ...shopRoutes(parts, { limits, returnHosts: returnHostsOf(options.config) }),
  ...(await backofficeUsers(options, limits)),
  ...(await webhookRoutes(parts.deps, subscriptions)),
];

const reachHead = async ({ follower, store }: House): Promise<void> => {
  const isThere = await follower.waitFor(await store.head(), REACH_HEAD_MILLISECONDS);
  if (!isThere) throw new EngineUnavailable('reference state does not keep up with the log');
};

const processFollower = ({ follower }: House, processes: ProcessRunner) => ({
  name: 'processes',
  // What is open is known up to where reference state is.
  passed: async (position: number, timeoutMs: number): Promise<boolean> =>
    (await follower.waitFor(position, timeoutMs)) && processes.idle(timeoutMs),
});

/** Puts the command service together: everything that changes something. Adapters are chosen here. */
export const createCommandService = async (options: CommandServiceOptions): Promise<CommandService> => {
  const { house, settings, keys, unpaidInvoices } = options;
  const { store, stateStore, clock, reference, follower, codec, leases, log, instanceId } = house;
  const timings = createTimings();
  const onAppended = (seconds: number): void => timings.append.observe(seconds);
  const engine = createCommandEngine({
    store,
    codec,
    stateStore,
    clock,
    reference: follower,
    log,
    onAppended,
  });
  const keyedHash = createKeyedHash(keys.applicationKey);
  const limits = await createRateLimits({ stateStore, now: () => clock.now(), keyedHash });
  const { countBefore: countOpenInvoices } = options.unpaidInvoices;
  const sources = { reference, clock, settings, keyedHash, countOpenInvoices };
  const streams = createStreams(engine, sources);
  const deps: CommandDeps = { ...sources, commands: engine, streams, stateStore, store };
  const providers = await buildProviders(house, options.config.payments, timings.charge);
  const runAlone = store.isOnlyWriter ? alone : runUnderLease(leases);
  const parts = buildCheckout(deps, providers, {
    runAlone,
    unpaid: unpaidInvoices,
    reachHead: () => reachHead(house),
    openInvoicesPerAddress: options.config.checkout.openInvoicesPerAddress,
  });
  const { management, placements, settlement, expiry, baskets, checkout, payments } = parts;
  const subscriptions = subscriptionActions(deps, options);
  const processes = buildProcesses(house, options.openInstances, parts);
  return {
    service: 'command',
    deps,
    idempotency: await createIdempotency({
      stateStore,
      cipher: createTextCipher(keyFor(keys.applicationKey, 'idempotency')),
      instanceId,
      isOnlyWriter: store.isOnlyWriter,
      log,
    }),
    jobs: commandJobs({ stateStore, limits, unpaidInvoices, expiry, settings, log }),
    start: () => processes.start(),
    management,
    actions: { baskets, checkout, payments, stock: management.stock, subscriptions },
    prepare: (onProgress = () => undefined) =>
      inTurn(house, () => openStore(options, management, onProgress)),
    routes: await routesOf(options, parts, subscriptions, limits),
    testingRoutes: sandboxChargeRoutes(() => listSandboxCharges(stateStore)),
    checks: [],
    followers: [processFollower(house, processes)],
    measure: (metrics) => measure(engine, processes, unpaidInvoices, timings, metrics),
    stop: async () => {
      await processes.stop();
      await Promise.all([placements.drain(), settlement.drain()]);
      await engine.drain();
    },
  };
};

export const commandPlan = (): ServicePlan<CommandService> => {
  const openInstances = createOpenInstances(processes);
  const unpaidInvoices = createUnpaidInvoices();
  return {
    parts: [openInstances, unpaidInvoices],
    create: (options) => createCommandService({ ...options, openInstances, unpaidInvoices }),
  };
};

/** Imports a store file into the configured engines, for the command line where no shop runs. */
export const importStoreFile: ImportStore = async (config, text) => {
  const keys = loadKeys(config);
  // No others: they may be embedded, and belong to a service that runs.
  const { events, state } = config.engines;
  const openInstances = createOpenInstances(processes);
  const unpaidInvoices = createUnpaidInvoices();
  const house = await openHouse({
    engines: await openEngines({ ...memoryEngines, events, state }),
    applicationKey: keys.applicationKey,
    log: createLogger('warn', 'tillroll'),
    parts: [openInstances, unpaidInvoices],
  });
  const settings = house.reference.settings.current;
  const command = await createCommandService({
    house,
    openInstances,
    unpaidInvoices,
    settings,
    config,
    keys,
  });
  await house.feed.start();
  try {
    await house.follower.waitFor(await house.store.head(), READY_MILLISECONDS);
    const configuredCurrency = config.store.storeCurrencyCode ?? null;
    return (await command.management.importStore(text, { configuredCurrency })).counts;
  } finally {
    await command.stop();
    await house.close();
  }
};
