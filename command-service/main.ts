import { createProtocolManager } from '#agents/protocol-manager.ts';
import { builtInAddressLookup } from '#adapters/address-lookups/built-in-lookup.ts';
import { httpAddressLookup } from '#adapters/address-lookups/http-lookup.ts';
import { frankfurterRateProvider } from '#adapters/exchange-rates/frankfurter-rates.ts';
import { manualRateProvider } from '#adapters/exchange-rates/manual-rates.ts';
import { genericHttpProvider } from '#adapters/fulfilment-providers/generic-http.ts';
import { supplierDirectProvider } from '#adapters/fulfilment-providers/supplier-direct.ts';
import { manualProvider } from '#adapters/payment-providers/manual-provider.ts';
import { purchaseOrderProvider } from '#adapters/payment-providers/purchase-order-provider.ts';
import { sandboxProvider } from '#adapters/payment-providers/sandbox/sandbox-provider.ts';
import { testHandlers } from '#adapters/payment-providers/test-handlers.ts';
import { parcelCarrier } from '#adapters/shipping-rates/parcel-carrier.ts';
import { manualTax } from '#adapters/tax-providers/manual-tax.ts';
import { testTax } from '#adapters/tax-providers/test-tax.ts';
import type { OpensBasket } from '#http/handle-request.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { refuseUnusable } from '#log/usable-reference.ts';
import { paymentSettings } from '#reference/payment-settings.ts';
import { noHooks } from '#runtime/hooks-file.ts';
import { addressChecker } from '#runtime/check-target.ts';
import type { FulfilmentProvider } from '#ports/fulfilment-provider.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { Reference } from '#reference/reference.ts';
import type { CheckAddress } from '#runtime/fetch-json.ts';
import type { Config } from '#runtime/config.ts';
import { createKeyedHash, keyFor } from '#runtime/keys.ts';
import { defined } from '#kernel/defined.ts';
import { createPasswords, type Passwords } from '#runtime/passwords.ts';
import { joinContributions, type Contribution } from '../shared-kernel/module.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import type { Actions } from './actions.ts';
import { opensTo } from './contexts/basket/basket.state.ts';
import { supplierOrder } from './contexts/fulfilment/supplier-order.ts';
import { basketLinesStream } from './contexts/basket/basket.stream.ts';
import { createClaims } from './engine/claims.ts';
import type { CommandEngine } from './engine/command-engine.ts';
import { createEngineMetrics } from './engine/engine-metrics.ts';
import { createCommandEngine } from './engine/handle-command.ts';
import { ownersHooks } from './engine/hooks.ts';
import { housekeeping } from './engine/housekeeping.ts';
import { createIdempotency } from './engine/idempotency.ts';
import { withStartUpLock } from './engine/start-up-lock.ts';
import { openModules, type OpenModules } from './engine/open-modules.ts';
import { processParts } from './engine/process-parts.ts';
import { reach, whenReady } from './engine/reach-position.ts';
import { createProcessRunner } from './engine/resume-processes.ts';
import { alone, runUnderLease } from './engine/run-alone.ts';
import type { ModuleDeps } from './engine/module.ts';
import { createStreams, type Streams } from './engine/streams.ts';
import { modules } from './modules.ts';

export interface CommandService extends RunningService {
  readonly deps: ModuleDeps;
  /** What can be done without a request. */
  readonly actions: Actions;
}

/** Its package costs every shop time and memory at the start: only one that names it has it. */
const stripeWhereNamed = async (
  { payments }: Config,
  reference: Reference,
): Promise<readonly PaymentProvider[]> => {
  if (!payments.providers.includes('stripe')) return [];
  const { stripeProvider } = await import('#adapters/payment-providers/stripe/stripe-provider.ts');
  return [stripeProvider({ settings: () => paymentSettings(reference, payments.given, 'stripe') })];
};

const fulfilmentProvidersOf = (check: CheckAddress, apis: Actions): readonly FulfilmentProvider[] => [
  genericHttpProvider({ check }),
  supplierDirectProvider({
    check,
    mailOrder: (id, { to, supplierName, order, subject }) => {
      const notification = supplierOrder(order, to, supplierName);
      return apis.mails.tell(id, { topic: 'fulfilment.supplier_order', notification, subject });
    },
  }),
];

/** A shop for tests can be taxed by a provider that says what they want to hear. */
const taxFrom = (config: Config, reference: Reference) => {
  const taxProviders = config.testingSecret === null ? [manualTax] : [manualTax, testTax];
  const isAsked = new Set(taxProviders.flatMap(({ alias, calculate }) => (calculate ? [alias] : [])));
  const asksForTax = (): boolean =>
    isAsked.has(config.tax.provider ?? reference.taxProviders.current().provider ?? 'manual');
  return { taxProviders, asksForTax };
};

const paymentProvidersOf = async (
  { stateStore, clock, reference }: ServiceOptions['runtime'],
  config: Config,
): Promise<readonly PaymentProvider[]> => [
  manualProvider(config.payments.manualHoldMinutes),
  await sandboxProvider({
    stateStore,
    clock,
    settings: () => paymentSettings(reference, config.payments.given, 'sandbox'),
  }),
  purchaseOrderProvider,
  ...(await stripeWhereNamed(config, reference)),
  ...(config.protocol.ucp.testEndpoints.enabled ? testHandlers : []),
];

/** What every module is given. Adapters are chosen here. */
const createDeps = async (
  { runtime, agentProfiles, settings, config, keys, hooks = noHooks }: ServiceOptions,
  commands: CommandEngine,
  { actions: apis, storeLists, shopChecks, openInstances }: OpenModules,
  passwords: Passwords,
): Promise<ModuleDeps> => {
  const { store, stateStore, bus, codec, clock, reference, leases, log, instanceId } = runtime;
  const keyedHash = createKeyedHash(keys.applicationKey);
  const { taxProviders, asksForTax } = taxFrom(config, reference);
  const checkAddress = addressChecker(config);
  const sources = { reference, clock, settings, keyedHash, apis, asksForTax };
  return {
    ...sources,
    commands,
    streams: createStreams(commands, sources),
    claims: createClaims({ commands, keyedHash, clock }),
    stateStore,
    store,
    subjectKeys: codec.keys,
    checkAddress,
    instanceId,
    config,
    keys,
    ownKeys: runtime.ownKeys,
    ...defined({ agentProfiles }),
    personalTexts: runtime.personalTexts,
    decoder: codec,
    log,
    hooks,
    limits: await createRateLimits({ stateStore, now: () => clock.now(), keyedHash }),
    runAlone: store.isOnlyWriter ? alone : runUnderLease(leases),
    underWay: (process) => openInstances.list().flatMap((one) => (one.process === process ? one.id : [])),
    reach: (position) => reach(runtime, position),
    refuseUnusable: () => refuseUnusable(runtime.follower),
    providers: await paymentProvidersOf(runtime, config),
    rateProviders: [
      manualRateProvider,
      frankfurterRateProvider({ check: checkAddress, url: config.exchangeRates.url }),
    ],
    carriers: [parcelCarrier()],
    fulfilmentProviders: fulfilmentProvidersOf(checkAddress, apis),
    taxProviders,
    addressLookups: [
      builtInAddressLookup,
      httpAddressLookup({ check: checkAddress, url: config.addressLookup.url }),
    ],
    bus,
    protocols: createProtocolManager(),
    passwords,
    storeLists,
    shopChecks,
  };
};

const opensBasket =
  (streams: Streams): OpensBasket =>
  (basketId, memberId) => {
    const known = streams.peek(basketLinesStream, basketId);
    if (known) return opensTo(known, memberId);
    return streams.recall(basketLinesStream, basketId).then(({ state }) => opensTo(state, memberId));
  };

/** Puts the command service together: everything that changes something. */
const createCommandService = async (
  options: ServiceOptions,
  opened: OpenModules,
): Promise<CommandService> => {
  const { runtime, keys, hooks: owners = noHooks } = options;
  const { store, stateStore, clock, follower, codec, leases, log, instanceId, forgetting } = runtime;
  const { isOnlyWriter } = store;
  const metrics = createEngineMetrics();
  const { onAppended } = metrics;
  const reference = follower;
  const hooks = ownersHooks({ hooks: owners.hooks, beforeHooks: opened.beforeHooks, log });
  const secrets = createTextCipher(keyFor(keys.applicationKey, 'snapshots'));
  const engine = { forgetting, store, codec, stateStore, secrets, clock, reference, hooks, log, onAppended };
  const commands = createCommandEngine(engine);
  const passwords = createPasswords({ log, ...defined({ cost: options.passwordCost }) });
  const deps = await createDeps(options, commands, opened, passwords);
  const created = await opened.create(deps);
  const processes = createProcessRunner({
    open: opened.openInstances,
    drivers: created.drivers,
    leases,
    isOnlyWriter,
    whenReady: (signal) => whenReady(runtime, signal),
    log,
  });
  const ownParts: Contribution = {
    jobs: housekeeping(stateStore, deps.limits),
    checks: [{ name: 'appends', check: () => commands.appendProblem() }],
    measure: (all) => metrics.measure(commands, all),
  };
  const joined = joinContributions([ownParts, processParts(runtime, processes), ...created.contributions]);
  return {
    ...joined,
    service: 'command',
    deps,
    actions: opened.actions,
    idempotency: await createIdempotency({
      stateStore,
      texts: runtime.personalTexts,
      formerCipher: createTextCipher(keyFor(keys.applicationKey, 'idempotency')),
      instanceId,
      isOnlyWriter: stateStore.isOnlyWriter,
      disturbances: () => store.disturbances?.() ?? 0,
      log,
    }),
    opensBasket: opensBasket(deps.streams),
    start: () => processes.start(),
    prepare: (onProgress) =>
      withStartUpLock(runtime, async () => {
        await whenReady(runtime);
        await joined.prepare(onProgress);
      }),
    stop: async () => {
      await processes.stop();
      await joined.stop();
      await passwords.close();
      await commands.drain();
    },
  };
};

export const commandPlan = (): ServicePlan<CommandService> => {
  const opened = openModules(modules);
  return { parts: opened.parts, create: (options) => createCommandService(options, opened) };
};
