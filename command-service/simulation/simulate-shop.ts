import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  LogIsThere,
  type MonthOfSales,
  type SimulateShop,
  type SimulationReport,
  type Watcher,
} from '../cli/simulate.ts';
import type { SubscriptionActions } from '../contexts/webhooks/subscription.actions.ts';
import { idOfCreated } from '../engine/command-meta.ts';
import { commandPlan } from '../main.ts';
import type { Period } from './demand.ts';
import { createSimulatedTime, type SimulatedTime } from './simulated-time.ts';
import { lastDays, simulate } from './simulate.ts';
import { openRuntime, type Runtime } from '../../shared-kernel/open-runtime.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import type { RunningService, ServicePlan } from '../../shared-kernel/open-services.ts';
import { START } from '#ports/event-store.ts';
import { checkTarget, createResolver } from '#runtime/check-target.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Config } from '#runtime/config.ts';
import { loadKeys, type ShopKeys } from '#runtime/keys.ts';
import { createLogger, silentLogger } from '#runtime/logging.ts';
import { makePrivateFolder } from '#runtime/private-files.ts';
import { createRecoveryTokens } from '#runtime/recovery-tokens.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { businessDay } from '#values/business-day.ts';
import { topicKeys } from '#topics/topics.ts';
import { settingsOver, type StoreSettings } from '#values/store-settings.ts';

/** A simulation on engines that lie open. The months end at `now`, in milliseconds since 1970 UTC. */
export interface SimulationInEngines {
  readonly config: Config;
  readonly keys: ShopKeys;
  readonly engines: Engines;
  readonly orders: number;
  readonly days: number;
  readonly seed: number;
  /** The receiver of webhooks for everything that happens; null for none. */
  readonly webhook: string | null;
  readonly now: number;
}

/** What a simulation needs of the other services. */
export interface OtherServices {
  readonly fillReadModels: FillReadModels;
  readonly dispatcherPlan: (applicationKey: Buffer) => ServicePlan;
}

const WAIT_MILLISECONDS = 60_000;
const actor = { kind: 'system', id: 'simulation' } as const;

/** Stands in the data folder as long as its log lacks the end of a simulation. */
const unfinishedIn = ({ dataDir }: Config): string => join(dataDir, 'simulation-unfinished');

const refuse = async ({ store }: Engines, config: Config): Promise<void> => {
  const { dataDir, payments, storeFile } = config;
  if (storeFile.kind === 'none')
    throw new Error('STORE_FILE is none, and without a store there is nothing to buy.');
  if (!payments.providers.includes('sandbox'))
    throw new Error('The shoppers pay with sandbox cards: add sandbox to Payments.Providers.');
  const head = await store.head();
  if (head !== START) throw new LogIsThere(dataDir, head, existsSync(unfinishedIn(config)));
};

/** Before anything is written: a folder with half a simulation in it would have to be deleted. */
const refuseTarget = async (url: string, { allowLoopbackTargets, webhooks }: Config): Promise<void> => {
  const policy = { allowLoopback: allowLoopbackTargets, allowPrivate: webhooks.allowPrivateTargets };
  const target = await checkTarget(url, policy, createResolver());
  if (target.kind !== 'allowed') throw new Error(`--webhook ${url}: ${target.reason}`);
};

/**
 * A command service whose clock is the simulation's, and a dispatcher, also where nobody is to be told: without its
 * snapshot and its checkpoint the first start would read the whole log.
 */
const openSimulatedShop = async (
  { config, keys, engines }: SimulationInEngines,
  time: SimulatedTime,
  { dispatcherPlan }: OtherServices,
) => {
  const { applicationKey } = keys;
  const own = commandPlan();
  const dispatching = dispatcherPlan(applicationKey);
  const parts = [...own.parts, ...dispatching.parts];
  const log = config.logLevel === 'silent' ? silentLogger() : createLogger('warn', 'tillroll');
  const runtime = await openRuntime({ engines, applicationKey, log, parts, clock: time.clock });
  const settings = (): StoreSettings => settingsOver(runtime.reference.settings.current(), config.store);
  const command = await own.create({ runtime, settings, config, keys });
  const dispatcher = await dispatching.create({ runtime, settings, config, keys });
  await runtime.feed.start();
  dispatcher.start();
  return { runtime, settings, command, dispatcher };
};

/** One subscription for each topic, so that the first shopper is told of already. */
const subscribeToEverything = async (
  subscriptions: SubscriptionActions,
  targetUrl: string,
): Promise<void> => {
  for (const topic of topicKeys) {
    const commandId = derivedId('simulated subscription', topic, targetUrl);
    const correlationId = derivedId('request', commandId);
    const meta = { correlationId, causationId: correlationId, actor, commandId };
    const subscription = { name: `Simulation: ${topic}`, topic, targetUrl };
    await subscriptions.create(idOfCreated('webhook', meta), subscription, meta);
  }
};

/** As the mails have them: a token is worked out, never kept. */
const firstLinks = (applicationKey: Buffer): ((basketId: string) => string) => {
  const tokens = createRecoveryTokens(applicationKey);
  return (basketId) => tokens.tokenOf({ recordId: abandonedCheckoutId(basketId), issue: 1 });
};

/** What could not be delivered by then waits in its rows for the shop to start. */
const untilDelivered = async (dispatcher: RunningService, { store }: Runtime): Promise<void> => {
  const head = await store.head();
  for (const follower of dispatcher.followers ?? []) await follower.waitFor(head, WAIT_MILLISECONDS);
};

/** Read models that are filled from the log once. */
export interface FilledReadModels {
  /** As the reports of the backoffice have it: of these business days, `YYYY-MM-DD`, both included. */
  salesBetween(start: string, end: string): Promise<Omit<MonthOfSales, 'month'>>;
  /** Resolves once they reflect the whole log as it is now. */
  catchUp(): Promise<void>;
  stop(): Promise<void>;
}

export type FillReadModels = (runtime: Runtime, settings: () => StoreSettings) => Promise<FilledReadModels>;

/** The first and last day of each month that a period touches. */
const monthsOf = ({ from, to }: Period, timeZone: string): readonly (readonly [string, string])[] => {
  const last = businessDay(to, timeZone);
  const months: [string, string][] = [];
  for (let first = businessDay(from, timeZone); first <= last;) {
    const [year = 0, month = 0] = first.split('-').map(Number);
    const end = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
    months.push([first, end < last ? end : last]);
    first = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
  }
  return months;
};

const salesByMonth = (
  { salesBetween }: FilledReadModels,
  period: Period,
  timeZone: string,
): Promise<readonly MonthOfSales[]> =>
  Promise.all(
    monthsOf(period, timeZone).map(async ([start, end]) => ({
      month: start.slice(0, 7),
      ...(await salesBetween(start, end)),
    })),
  );

/** Simulates on engines with an empty log, fills the read models and closes the engines. */
export const simulateInEngines = async (
  simulation: SimulationInEngines,
  { onProgress, onReplay }: Watcher,
  others: OtherServices,
): Promise<SimulationReport> => {
  const { config, engines, days, now, webhook } = simulation;
  const period = lastDays(days, now);
  const time = createSimulatedTime(period.from);
  const { runtime, settings, command, dispatcher } = await openSimulatedShop(simulation, time, others);
  let projection: FilledReadModels | null = null;
  try {
    await command.prepare();
    const { reference, store, follower } = runtime;
    const referenceIsCurrent = async () => follower.waitFor(await store.head(), WAIT_MILLISECONDS);
    const { actions: shop } = command;
    if (webhook !== null) await subscribeToEverything(shop.webhooks, webhook);
    const linkTokenOf = firstLinks(runtime.applicationKey);
    const { ucp } = config.protocol;
    const parts = { time, shop, ucp, store, reference, settings, referenceIsCurrent, linkTokenOf };
    const simulated = await simulate({ ...simulation, ...parts, period, onProgress });
    await untilDelivered(dispatcher, runtime);
    onReplay();
    projection = await others.fillReadModels(runtime, settings);
    const { reportingTimeZone, storeCurrencyCode: currency } = settings();
    const months = await salesByMonth(projection, period, reportingTimeZone);
    const staff = await simulated.takeReturns();
    await untilDelivered(dispatcher, runtime);
    await projection.catchUp();
    const afterReturns = await salesByMonth(projection, period, reportingTimeZone);
    const { counters, wonBack } = simulated;
    return { counters, wonBack, staff, months, afterReturns, currency, events: await engines.store.head() };
  } finally {
    await command.stop();
    await dispatcher.stop();
    await projection?.stop();
    await runtime.close();
  }
};

/** Simulates in the engines of the configuration, if their log is empty. */
export const simulateShop =
  (others: OtherServices): SimulateShop =>
  async (config, { webhook, ...size }, watcher) => {
    if (webhook !== undefined) await refuseTarget(webhook, config);
    const keys = loadKeys(config);
    const engines = await openEngines(config.engines, { isPrecious: false });
    try {
      await refuse(engines, config);
    } catch (error) {
      await closeEngines(engines);
      throw error;
    }
    makePrivateFolder(config.dataDir);
    writeFileSync(unfinishedIn(config), '', { mode: 0o600 });
    const simulation = { config, keys, engines, ...size, webhook: webhook ?? null, now: Date.now() };
    const report = await simulateInEngines(simulation, watcher, others);
    rmSync(unfinishedIn(config));
    return report;
  };
