import type { Logger } from 'pino';
import { defined } from '#kernel/defined.ts';
import { createJobRunner, type Job, type JobRunner } from '#runtime/job-runner.ts';
import { joinPeerRegistry, type PeerRegistry } from '#runtime/peer-registry.ts';
import { createHttpApplication, type HttpApplication, type ServiceParts } from '#http/http-application.ts';
import type { OpensBasket } from '#http/handle-request.ts';
import type { Idempotency } from '#http/idempotent.ts';
import type { Route } from '#http/route.ts';
import { holdToLog } from '#log/log-check.ts';
import { refuseUnusable } from '#log/usable-reference.ts';
import { laggingAmong } from '#http/testing.routes.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import type { Config } from '#runtime/config.ts';
import { loadHooks, type Hooks } from '#runtime/hooks-file.ts';
import type { ShopKeys } from '#runtime/keys.ts';
import type { PasswordCost } from '#runtime/passwords.ts';
import type { Service } from '#values/service.ts';
import type { AccessTokens } from '#agents/access-tokens.ts';
import type { AgentProfiles } from '#agents/agent-profile.ts';
import { clientFinder } from '#agents/oauth-clients.ts';
import { createAccessTokens } from '#runtime/access-tokens.ts';
import { openAgentProfiles } from './open-agent-profiles.ts';
import { settingsOver, type GivenSettings, type StoreSettings } from '#values/store-settings.ts';
import { runtimeParts, openRuntime, type Runtime } from './open-runtime.ts';
import { closeEngines, type Engines } from './open-engines.ts';

/** What a service is put together from. */
export interface ServiceOptions {
  readonly runtime: Runtime;
  /** Default: no agent calls. */
  readonly agentProfiles?: AgentProfiles;
  /** The settings in force: configuration over what the log says over the defaults. */
  readonly settings: () => StoreSettings;
  readonly config: Config;
  readonly keys: ShopKeys;
  /** The owner's. Default: none. */
  readonly hooks?: Hooks;
  /** No setting: tests hash many passwords. Default: what a guess at one should cost. */
  readonly passwordCost?: PasswordCost;
}

/** A service as the process that runs it sees it. */
export interface RunningService extends ServiceParts {
  readonly service: Service;
  readonly jobs: readonly Job[];
  /** Answers under idempotency keys; null where no route takes one. */
  readonly idempotency: Idempotency | null;
  /** Null where no route changes a basket. */
  readonly opensBasket: OpensBasket | null;
  /** Takes up what runs by itself, once the feed has started. */
  start(): void;
  /** What must be done once before anybody is served. Repeatable, and several replicas may do it at once. */
  prepare(onProgress?: (done: number, total: number) => void): Promise<void>;
  /** Finishes what is in flight. */
  stop(): Promise<void>;
}

/** How a service is put together. */
export interface ServicePlan<Running extends RunningService = RunningService> {
  /** State of its own that follows the log beside reference state. */
  readonly parts: readonly ReferencePart[];
  create(options: ServiceOptions): Promise<Running>;
}

/** What the plans come to, in their order. */
type Services<Plans extends readonly ServicePlan[]> = {
  readonly [Index in keyof Plans]: Awaited<ReturnType<Plans[Index]['create']>>;
};

/** Services that run in this process, on one set of engines and behind one port. */
export interface OpenServices<
  Plans extends readonly ServicePlan[] = readonly ServicePlan[],
> extends HttpApplication {
  readonly runtime: Runtime;
  readonly services: Services<Plans>;
  /** See `RunningService.prepare`. */
  prepare(onProgress?: (done: number, total: number) => void): Promise<void>;
  /** In order: what is in flight, read models, the feed, the engines. */
  stop(): Promise<void>;
}

export interface OpenServicesOptions<Plans extends readonly ServicePlan[] = readonly ServicePlan[]> {
  readonly plans: Plans;
  readonly config: Config;
  readonly keys: ShopKeys;
  /** Closed when the services stop, and when they cannot be opened. */
  readonly engines: Engines;
  readonly version: string;
  /** See `FrontOptions.describe`. */
  readonly describe?: () => Promise<readonly Route[]>;
  readonly log: Logger;
  /** See `ServiceOptions.passwordCost`. */
  readonly passwordCost?: PasswordCost;
}

/** How long a command waits for the position that its caller has seen, and a change in the backoffice for its own. */
const READ_YOUR_WRITES_MILLISECONDS = 2000;

/** Where tests may ask, and other processes may run: they are waited for. */
const joinOthers = async (
  { config, log }: OpenServicesOptions,
  runtime: Runtime,
  running: readonly RunningService[],
): Promise<PeerRegistry | null> => {
  const { stateStore, store, clock, instanceId } = runtime;
  if (config.testingSecret === null || store.isOnlyWriter) return null;
  const followers = [...running, runtimeParts(runtime)].flatMap((part) => part.followers);
  return joinPeerRegistry({
    stateStore,
    instanceId,
    name: `${running.map(({ service }) => service).join(', ')} ${instanceId}`,
    clock,
    lagging: (position, timeoutMs) => laggingAmong(followers, position, timeoutMs),
    log,
  });
};

const accessTokensOf = (
  { config }: Pick<OpenServicesOptions, 'config'>,
  { ownKeys, reference, follower, clock }: Runtime,
): AccessTokens => {
  const refuse = (): void => refuseUnusable(follower);
  return createAccessTokens({
    ownKeys,
    findClient: clientFinder(config.protocol.ucp.oAuth.clients, reference.agentClients, refuse),
    hasEnded: (id) => reference.agentLinks.hasEnded(id),
    refuseUnusable: refuse,
    now: () => clock.now(),
  });
};

const openHttpApplication = (
  options: OpenServicesOptions,
  runtime: Runtime,
  running: readonly RunningService[],
  jobs: JobRunner,
  others: PeerRegistry | null,
  { settings, hooks, agentProfiles }: Pick<ServiceOptions, 'settings' | 'hooks' | 'agentProfiles'>,
): HttpApplication => {
  const { stateStore, clock, store, follower, traffic, ownKeys } = runtime;
  const [first] = running;
  return createHttpApplication({
    ...options,
    settings,
    ...defined({ agentProfiles }),
    ownKeys,
    accessTokens: accessTokensOf(options, runtime),
    ...defined({ hooks }),
    service: running.length === 1 && first ? first.service : 'command',
    parts: [...running, runtimeParts(runtime)],
    stateStore,
    idempotency: running.find(({ idempotency }) => idempotency)?.idempotency ?? null,
    opensBasket: running.find(({ opensBasket }) => opensBasket)?.opensBasket ?? null,
    clock,
    head: () => store.head(),
    reference: {
      whenReached: (position, patienceMs) =>
        follower.waitFor(position, Math.min(patienceMs, READ_YOUR_WRITES_MILLISECONDS)),
      isWrittenElsewhere: !store.isOnlyWriter,
      took: () => follower.took(),
    },
    jobs: running.flatMap(({ service, jobs: own }) => own.map(({ name }) => ({ name, service }))),
    runJob: (name) => jobs.runNow(name),
    others,
    traffic,
  });
};

/** Asked for by every request many times over, and put together when what the log says changes. */
const settingsInForce = (current: () => StoreSettings, given: GivenSettings): (() => StoreSettings) => {
  let below: StoreSettings | null = null;
  let inForce: StoreSettings | null = null;
  return () => {
    const now = current();
    if (inForce === null || below !== now) inForce = settingsOver(now, given);
    below = now;
    return inForce;
  };
};

/** Puts services together on one set of engines. On failure nothing of it stays open. */
export const openServices = async <const Plans extends readonly ServicePlan[]>(
  options: OpenServicesOptions<Plans>,
): Promise<OpenServices<Plans>> => {
  const { plans, config, keys, engines, log } = options;
  const { applicationKey } = keys;
  const open: (() => Promise<void>)[] = [() => closeEngines(engines)];
  const stop = async (): Promise<void> => {
    for (let close = open.pop(); close; close = open.pop()) await close();
  };
  try {
    const hooks = await loadHooks(config.hooksFile);
    const runtime = await openRuntime({
      engines,
      applicationKey,
      log,
      parts: plans.flatMap(({ parts }) => parts),
    });
    open.splice(0, 1, () => runtime.close());
    const settings = settingsInForce(() => runtime.reference.settings.current(), config.store);
    const running: RunningService[] = [];
    open.push(async () => {
      for (const service of running) await service.stop();
    });
    const agents = openAgentProfiles(config, runtime);
    open.push(() => Promise.resolve(agents.close()));
    const given = {
      runtime,
      agentProfiles: agents.profiles,
      settings,
      config,
      keys,
      hooks,
      ...defined({ passwordCost: options.passwordCost }),
    };
    for (const plan of plans) running.push(await plan.create(given));
    await runtime.feed.start();
    const { leases, clock } = runtime;
    const jobs = createJobRunner({ jobs: running.flatMap((service) => service.jobs), leases, clock, log });
    open.push(() => jobs.stop());
    const others = await joinOthers(options, runtime, running);
    if (others) open.push(() => others.stop());
    const application = openHttpApplication(options, runtime, running, jobs, others, given);
    for (const service of running) service.start();
    jobs.start();
    return {
      ...application,
      runtime,
      services: running as readonly RunningService[] as Services<Plans>,
      prepare: async (onProgress) => {
        for (const service of running) await service.prepare(onProgress);
        // The first start has written the first event only just now.
        await holdToLog(runtime.stateStore, runtime.store);
        jobs.runUrgent();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
