import { clockBody, jobParams } from '#contracts/testing.contract.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { LogProgress } from '#kernel/log-progress.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Service } from '#values/service.ts';
import { ok, route, testing, type Reply, type Route } from './route.ts';

const file = import.meta.url;
const common = { base: 'testing', caller: testing, status: 200, file } as const;

/** Who has not passed the position in time. */
export const laggingAmong = async (
  followers: readonly LogProgress[],
  position: number,
  timeoutMs: number,
): Promise<readonly string[]> => {
  const outcomes = await Promise.all(
    followers.map(async (follower) => ({
      name: follower.name,
      isThere: await follower.waitFor(position, timeoutMs),
    })),
  );
  return outcomes.filter(({ isThere }) => !isThere).map(({ name }) => name);
};

/** The other processes of the shop, where there may be some. */
export interface OtherProcesses {
  /** Who there has not passed the position in time. */
  lagging(position: number, timeoutMs: number): Promise<readonly string[]>;
  /** Resolves once they follow the clock as it is here. */
  isTimeFollowed(): Promise<void>;
}

export interface TestingDeps {
  /** In whose name they are answered. */
  readonly service: Service;
  readonly clock: Clock & { advance(seconds: number): Promise<void> };
  readonly head: () => Promise<number>;
  readonly followers: readonly LogProgress[];
  readonly others: OtherProcesses | null;
  /** Runs a job once; null when there is no such job. */
  readonly runJob: (name: string) => Promise<Readonly<Record<string, unknown>> | null>;
  readonly jobs: readonly { readonly name: string; readonly service: Service }[];
  readonly settleMilliseconds?: number;
}

const SETTLE_MILLISECONDS = 30_000;

/** Waits until all have passed the head, and again while they append. */
const settle = async ({ head, followers, others, settleMilliseconds }: TestingDeps): Promise<Reply> => {
  const deadline = performance.now() + (settleMilliseconds ?? SETTLE_MILLISECONDS);
  for (;;) {
    const position = await head();
    const left = Math.max(0, deadline - performance.now());
    const [here, elsewhere = []] = await Promise.all([
      laggingAmong(followers, position, left),
      others?.lagging(position, left),
    ]);
    const lagging = [...here, ...elsewhere];
    if (lagging.length > 0) {
      const code = 'not-settled';
      const message = `Not settled yet: ${lagging.join(', ')}.`;
      return { status: 504, code, json: { success: false, code, message, lagging, position } };
    }
    if ((await head()) === position) return ok({ success: true, message: '', position });
  }
};

/** Each job under its own path, so that a gateway sends it to its owner; any other name is answered with those. */
const jobRoutes = ({ service, runJob, jobs }: TestingDeps): readonly Route[] => {
  const shared = { ...common, method: 'POST', summary: 'Run a job once, now' } as const;
  const known = jobs.map(({ name }) => name).join(', ') || 'none';
  const run = async (name: string): Promise<Reply> => {
    const summary = await runJob(name);
    if (summary) return ok(summary);
    throw new Rejection('entity-not-found', `There is no job ${name}; this service has ${known}.`);
  };
  return [
    ...jobs.map(({ name, service: owner }) =>
      route({ ...shared, service: owner, path: `/jobs/${name}`, handle: () => run(name) }),
    ),
    route({
      ...shared,
      service,
      path: '/jobs/{name}',
      schemas: { params: jobParams },
      errors: ['entity-not-found'],
      handle: ({ params }) => run(params.name),
    }),
  ];
};

/** For end-to-end tests: the clock, the jobs, and waiting for everything to come to rest (header Testing-Secret). */
export const testingRoutes = (deps: TestingDeps): readonly Route[] => [
  route({
    ...common,
    service: deps.service,
    method: 'POST',
    path: '/clock',
    summary: "Move the shop's clock on",
    schemas: { body: clockBody },
    handle: async ({ body }) => {
      await deps.clock.advance(body.advanceSeconds);
      await deps.others?.isTimeFollowed();
      return ok({ success: true, message: '', now: isoInstant(deps.clock.now()) });
    },
  }),
  ...jobRoutes(deps),
  route({
    ...common,
    service: deps.service,
    method: 'POST',
    path: '/settle',
    summary: 'Wait until everything that follows the log has passed its head',
    errors: ['not-settled'],
    handle: () => settle(deps),
  }),
];
