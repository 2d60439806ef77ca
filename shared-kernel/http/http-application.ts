import type { Express } from 'express';
import type { Logger } from 'pino';
import type { AccessTokens } from '#agents/access-tokens.ts';
import type { AgentProfiles } from '#agents/agent-profile.ts';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import type { Clock } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { createAskHooks } from '#runtime/ask-hooks.ts';
import { addressChecker } from '#runtime/check-target.ts';
import { paymentWarning } from '#runtime/config-payments.ts';
import type { Config } from '#runtime/config.ts';
import { noHooks, type Hooks } from '#runtime/hooks-file.ts';
import { createReadiness, type HealthCheck, type Readiness } from '#runtime/health.ts';
import { createKeyedHash, type ShopKeys } from '#runtime/keys.ts';
import { createMetrics, type Metrics } from '#runtime/metrics.ts';
import type { Traffic } from '#runtime/traffic.ts';
import { createUserFinder } from '#runtime/backoffice-users.ts';
import { createMemberFinder } from '#runtime/members.ts';
import type { ReadinessScope } from '#contracts/health.contract.ts';
import { createFindMember } from './agent-member.ts';
import { createAgentStep } from './agent-step.ts';
import { createSignAnswer } from './sign-answer.ts';
import type { FollowedHere, OpensBasket } from './handle-request.ts';
import { homePageRoutes } from './home-page.routes.ts';
import { healthRoutes } from './health.routes.ts';
import { createFingerprint, type Idempotency } from './idempotent.ts';
import { createBasketCookies } from './basket-cookie.ts';
import { isConfirmationOf } from './confirmation-token.ts';
import { createIdentity, type Identity } from './identity.ts';
import { createApp } from './mount.ts';
import { createAddressLimit } from './own-limit.ts';
import { createReferralCookies } from './referral-cookie.ts';
import { createReferralEntry, type ReferralEntry } from './referral-entry.ts';
import { createReferralTokens } from './referral-tokens.ts';
import { referenceRoutes } from './reference.routes.ts';
import type { Service } from '#values/service.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { Route } from './route.ts';
import { testingRoutes, type OtherProcesses } from './testing.routes.ts';
import { createTokens } from '#runtime/tokens.ts';

/** What a service brings along to be served, watched and waited for. */
export interface ServiceParts {
  readonly routes: readonly Route[];
  /** Mounted only where there is a testing secret. */
  readonly testingRoutes: readonly Route[];
  readonly checks: readonly HealthCheck[];
  readonly followers: readonly LogProgress[];
  measure(metrics: Metrics): void;
}

export interface HttpApplicationOptions {
  /** In whose name health and the description of the API are answered. */
  readonly service: Service;
  readonly parts: readonly ServiceParts[];
  readonly config: Config;
  readonly keys: ShopKeys;
  /** The settings in force. */
  readonly settings: () => Pick<StoreSettings, 'referralDiscount' | 'websiteUrl'>;
  /** The owner's. Default: none. */
  readonly hooks?: Hooks;
  /** Verifies the tokens of linked members. Default: there are none. */
  readonly accessTokens?: AccessTokens;
  /** Default: profiles of agents are not looked at. */
  readonly agentProfiles?: AgentProfiles;
  /** Sign answers to agents. Default: they are unsigned. */
  readonly ownKeys?: OwnKeys;
  readonly stateStore: DocumentStore;
  /** Null where no route takes a key. */
  readonly idempotency: Idempotency | null;
  /** Null where no route changes a basket. */
  readonly opensBasket: OpensBasket | null;
  readonly clock: Clock & { advance(seconds: number): Promise<void> };
  readonly head: () => Promise<number>;
  readonly reference: FollowedHere;
  readonly jobs: readonly { readonly name: string; readonly service: Service }[];
  /** Runs a job now and returns its summary; null when there is no such job. */
  readonly runJob: (name: string) => Promise<Readonly<Record<string, unknown>> | null>;
  /** Waited for by the test endpoints; null where this process is the only one. */
  readonly others: OtherProcesses | null;
  readonly traffic: Pick<Traffic, 'answered'>;
  readonly version: string;
  /** The routes of the whole API, where other services run elsewhere; default: those of this process. */
  readonly describe?: () => Promise<readonly Route[]>;
  readonly log: Logger;
}

/** What a process shows to the outside. */
export interface HttpApplication {
  readonly app: Express;
  readonly routes: readonly Route[];
  readonly readiness: Readiness;
}

const testRoutes = (options: HttpApplicationOptions): readonly Route[] => {
  const { config, parts } = options;
  if (config.testingSecret === null) return [];
  const followers = parts.flatMap((part) => part.followers);
  return [...testingRoutes({ ...options, followers }), ...parts.flatMap((part) => part.testingRoutes)];
};

/** The till is the command service's: the others are not asked what one can pay with. */
const tillCheck = ({ payments }: Config, service: Service): HealthCheck => ({
  name: 'payments',
  check: () => null,
  warning: () => (service === 'command' ? paymentWarning(payments) : null),
});

const referralsOf = ({ config, keys, settings, clock, log }: HttpApplicationOptions): ReferralEntry => {
  const now = () => clock.now();
  return createReferralEntry({
    settings: () => settings().referralDiscount,
    tokens: createReferralTokens({
      check: addressChecker(config),
      allowHttp: config.allowLoopbackTargets,
      now,
      onFailure: (reason) => log.warn({ reason }, 'the keys of referrals cannot be had'),
    }),
    cookies: createReferralCookies(keys.applicationKey),
    now,
  });
};

const hasPaidBy =
  (keyedHash: ReturnType<typeof createKeyedHash>, clock: Clock): Identity['hasPaid'] =>
  (cookies, invoiceId) =>
    isConfirmationOf({ keyedHash, now: () => clock.now() }, cookies, invoiceId);

const agentStepOf = (options: HttpApplicationOptions): Identity['agents'] => {
  const { config, settings, clock, hooks = noHooks, agentProfiles: profiles, accessTokens, log } = options;
  const { identityLinking } = config.protocol.ucp.capabilities;
  return createAgentStep({
    protocol: config.protocol,
    ...defined({ profiles }),
    ...(identityLinking && accessTokens && { findMember: createFindMember(accessTokens) }),
    askHooks: createAskHooks(hooks.hooks, log),
    trustedProxies: config.storefront.trustedProxies,
    websiteUrl: () => settings().websiteUrl,
    now: () => clock.now(),
  });
};

const identityOf = (options: HttpApplicationOptions): Identity => {
  const { config, keys, stateStore, clock } = options;
  return createIdentity({
    backofficeApiKey: keys.backofficeApiKey,
    tokens: createTokens(keys.tokenKey, () => clock.now()),
    testingSecret: config.testingSecret,
    findUser: createUserFinder(stateStore),
    memberTokens: createTokens(keys.memberTokenKey, () => clock.now(), 'member'),
    findMember: createMemberFinder(stateStore),
    hasPaid: hasPaidBy(createKeyedHash(keys.applicationKey), clock),
    agents: agentStepOf(options),
  });
};

/** Mounts the services of a process with what every process answers: health, figures, the description of the API. */
export const createHttpApplication = (options: HttpApplicationOptions): HttpApplication => {
  const { service, parts, config, keys, idempotency, opensBasket, ownKeys } = options;
  const { clock, reference, version, log } = options;
  const readiness = createReadiness([tillCheck(config, service), ...parts.flatMap((part) => part.checks)]);
  const metrics = createMetrics();
  for (const part of parts) part.measure(metrics);
  const problems = (scope: ReadinessScope) => readiness.problems(scope);
  const identity = identityOf(options);
  const own: readonly Route[] = [
    ...parts.flatMap((part) => part.routes),
    ...homePageRoutes({ service, version, problems: () => problems('all') }),
    ...healthRoutes({
      service,
      problems,
      warnings: () => readiness.warnings(),
      metrics: () => metrics.text(),
    }),
  ];
  const described: readonly Route[] = [
    ...own,
    ...referenceRoutes({ service, routes: options.describe ?? (async () => described), version }),
  ];
  const routes = [...described, ...testRoutes(options)];
  const app = createApp({
    routes,
    settings: {
      publicBaseUrl: config.publicBaseUrl,
      agentBaseUrl: config.protocol.publicBaseUrl || config.publicBaseUrl,
      trustedProxies: config.storefront.trustedProxies,
      secureCookies: config.storefront.cookies.secure,
      allowedOrigins: config.storefront.allowedOrigins,
    },
    identity,
    idempotency,
    keyLimit: createAddressLimit({
      now: () => clock.now(),
      perMinute: () => config.storefront.keptAnswersPerMinute,
      message: 'Too many idempotency keys. Please wait a minute and try again.',
    }),
    ...(opensBasket && { opensBasket }),
    baskets: createBasketCookies(keys.applicationKey),
    referrals: referralsOf(options),
    fingerprint: createFingerprint(keys.applicationKey),
    ...(ownKeys && { signAnswer: createSignAnswer({ ownKeys, now: () => clock.now() }) }),
    clock,
    reference,
    log,
    observe: (route, status, seconds) => {
      options.traffic.answered();
      metrics.observeRequest(route?.method ?? '', route?.path ?? 'unknown', status, seconds);
    },
  });
  return { app, routes, readiness };
};
