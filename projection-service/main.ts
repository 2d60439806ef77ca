import { storefrontUrl } from '#agents/storefront-url.ts';
import { createProtocolManager } from '#agents/protocol-manager.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';
import type { Runtime } from '../shared-kernel/open-runtime.ts';
import { joinContributions } from '../shared-kernel/module.ts';
import type { RunningService, ServiceOptions, ServicePlan } from '../shared-kernel/open-services.ts';
import type { EngineChoices } from '#runtime/config-engines.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { createRecoveryLinks } from '#runtime/recovery-links.ts';
import { declareUpsellDays, readUpsellDays } from '#runtime/upsell-days.ts';
import { createExports } from './engine/exports/open-export.ts';
import { readHere, readInThread, type PageReader } from './engine/exports/page-readers.ts';
import { explainedBy, projectionsOf, queriesOf } from './engine/join-modules.ts';
import { runProjections, type ProjectionEngine } from './engine/projection-engine.ts';
import { projectionParts } from './engine/projection-parts.ts';
import { lapsedDocuments } from './engine/lapsing.ts';
import { createMoments } from './engine/moments.ts';
import { createReader, type ViewReader } from './engine/reader.ts';
import { referenceState, type ProjectionDeps } from './engine/service-deps.ts';
import { followTimes, type TimeIndex } from './engine/time-index.ts';
import { eraseForgotten } from './engine/erase-forgotten.ts';
import { createExplanations, type Explanations } from './engine/why/explanations.ts';
import { exportsOfViews } from './exports.ts';
import type { ProjectionModule } from './engine/module.ts';
import { modules as allModules } from './modules.ts';
import { forThreads, openFiller, type ThreadEngines } from './open-filler.ts';

/** How long a query waits for reference state, as for a view. */
const READ_YOUR_WRITES_MILLISECONDS = 2000;

export interface ProjectionService extends RunningService {
  readonly engine: ProjectionEngine;
}

const exportPages = (runtime: Runtime, engines: ThreadEngines | null): PageReader => {
  const { readStore, applicationKey } = runtime;
  return engines
    ? readInThread(new URL('./export-reading.ts', import.meta.url), { engines, applicationKey })
    : readHere(exportsOfViews, { readStore, histories: () => Promise.resolve(runtime) });
};

type LinkOptions = Pick<ServiceOptions, 'runtime' | 'settings'> & {
  readonly downloadTokenSecret?: string | null;
  readonly agentBaseUrl?: string;
};

const linksOf = ({
  runtime: { applicationKey },
  settings,
  downloadTokenSecret = null,
  agentBaseUrl = '',
}: LinkOptions): Pick<
  ProjectionDeps,
  'downloadUrlOf' | 'recoveryLinkOf' | 'orderLinkOf' | 'agentBaseUrl'
> => {
  const websiteUrl = (): string | null => settings().websiteUrl;
  const recoveryUrlBase = (): string => settings()['abandonedCheckout.recoveryUrlBase'];
  const orderLinks = createOrderLinks(applicationKey);
  const tokens = createDownloadTokens(downloadTokenSecret, applicationKey);
  return {
    agentBaseUrl,
    downloadUrlOf: createDownloadUrls(tokens, websiteUrl),
    orderLinkOf: (invoiceId, baseUrl) => orderLinks.linkTo(invoiceId, storefrontUrl(websiteUrl(), baseUrl)),
    recoveryLinkOf: createRecoveryLinks(applicationKey, { recoveryUrlBase, websiteUrl }).recoveryLink,
  };
};

interface Explaining {
  readonly modules: readonly ProjectionModule[];
  readonly engine: ProjectionEngine;
  readonly reader: ViewReader;
  readonly times: TimeIndex;
}

const explanationsOf = (runtime: Runtime, { modules, engine, ...reading }: Explaining): Explanations =>
  createExplanations({
    ...runtime,
    ...reading,
    ...explainedBy(modules),
    views: () => engine.status().map(({ name }) => name),
    waitForPosition: (view, position) => engine.waitFor(view, position),
  });

const lagsOf = (
  { follower }: Runtime,
  engine: ProjectionEngine,
): Pick<ProjectionDeps, 'waitForPosition' | 'formerLag'> => ({
  waitForPosition: async (view, position) => {
    if (view !== referenceState.name)
      return engine.formerLagSeconds(view) ?? (await engine.waitFor(view, position)).lagSeconds;
    const isReached = await follower.waitFor(position, READ_YOUR_WRITES_MILLISECONDS);
    return isReached ? null : READ_YOUR_WRITES_MILLISECONDS / 1000;
  },
  formerLag: (view) => (view === referenceState.name ? null : engine.formerLagSeconds(view)),
});

/** The shared parts of the process that queries need. */
const givenBy = (
  runtime: Runtime,
): Pick<
  ProjectionDeps,
  'store' | 'decoder' | 'readStore' | 'stateStore' | 'isBusy' | 'reference' | 'ownKeys' | 'clock'
> => {
  const { store, codec, readStore, stateStore, traffic, reference, ownKeys, clock } = runtime;
  const isBusy = (): boolean => traffic.isHeavy();
  return { store, decoder: codec, readStore, stateStore, isBusy, reference, ownKeys, clock };
};

export interface ProjectionServiceOptions extends Pick<ServiceOptions, 'runtime' | 'settings'> {
  readonly namedRateProvider?: string | null;
  /** Default: agents are not answered. */
  readonly ucp?: ProjectionDeps['ucp'];
  readonly agentBaseUrl?: string;
  /** Further behind the log than this, it does not call itself ready. Default: no limit. */
  readonly maxLagSeconds?: number;
  /** Signs download links. Default: one of the application key's. */
  readonly downloadTokenSecret?: string | null;
  /** As a thread opens them. Default: none can. */
  readonly engines?: EngineChoices;
  /** Default: all of them. */
  readonly modules?: readonly ProjectionModule[];
  /** Default: they follow the log. */
  readonly runViews?: typeof runProjections;
}

/** Puts the projection service together: read models and the queries on them. */
export const createProjectionService = async (
  options: ProjectionServiceOptions,
): Promise<ProjectionService> => {
  const {
    runtime,
    settings,
    namedRateProvider = null,
    ucp = null,
    maxLagSeconds = Infinity,
    modules = allModules,
    runViews = runProjections,
  } = options;
  const { feed, readStore, stateStore } = runtime;
  const head = await feed.head();
  await declareUpsellDays(stateStore);
  const projections = projectionsOf(modules);
  const engines = forThreads(options.engines);
  const filler = openFiller(runtime, engines, projections, head);
  const engine = await runViews({ ...runtime, projections, filler });
  const times = await followTimes(runtime);
  const reader = createReader({ readStore, engine, lapsed: lapsedDocuments(runtime, projections) });
  const pages = exportPages(runtime, engines);
  const deps: ProjectionDeps = {
    reader,
    exports: createExports({ reader, pages }),
    engine,
    ...givenBy(runtime),
    moments: createMoments({ ...runtime, times, settings }),
    explanations: explanationsOf(runtime, { modules, engine, reader, times }),
    ...lagsOf(runtime, engine),
    settings,
    upsellDays: readUpsellDays(stateStore),
    namedRateProvider,
    ucp,
    protocols: createProtocolManager(),
    ...linksOf(options),
  };
  return {
    ...joinContributions([
      {
        routes: queriesOf(modules, deps),
        jobs: modules.flatMap((module) => module.jobs?.(runtime) ?? []),
        stop: () => pages.close(),
      },
      times.parts,
      projectionParts(engine, { head, maxLagSeconds, retentionDays: () => settings().basketRetentionDays }),
    ]),
    service: 'projection',
    engine,
    idempotency: null,
    opensBasket: null,
    start: () => undefined,
  };
};

export const projectionPlan = (): ServicePlan<ProjectionService> => ({
  parts: [],
  create: async ({ config, ...options }) => {
    const service = await createProjectionService({
      ...options,
      namedRateProvider: config.exchangeRates.provider,
      ucp: config.protocol.ucp,
      agentBaseUrl: config.protocol.publicBaseUrl,
      maxLagSeconds: config.health.maxLagSeconds,
      downloadTokenSecret: config.downloads.downloadTokenSecret,
      engines: config.engines,
    });
    const erasing = await eraseForgotten({ ...options.runtime, engine: service.engine });
    return { ...service, ...joinContributions([service, erasing]) };
  },
});
