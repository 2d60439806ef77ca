import { clockBody, jobParams } from '#contracts/testing.contract.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { ok, route, type Reply, type Route } from './route.ts';

const file = 'shared-kernel/http/testing.routes.ts';
const common = { base: 'testing', service: 'command', caller: { kind: 'testing' }, file } as const;

/** Something that follows the log and can be waited for. */
export interface Follower {
  readonly name: string;
  /** False when the position has not been passed in time (milliseconds of real time). */
  passed(position: number, timeoutMs: number): Promise<boolean>;
}

export interface TestingDeps {
  readonly clock: Clock & { advance(seconds: number): Promise<void> };
  readonly head: () => Promise<number>;
  readonly followers: readonly Follower[];
  /** Runs a job once; null when there is no such job. */
  readonly runJob: (name: string) => Promise<Readonly<Record<string, unknown>> | null>;
  readonly jobNames: readonly string[];
  readonly settleMilliseconds?: number;
}

const SETTLE_MILLISECONDS = 30_000;

/** Waits until everybody has passed the head, and again while they append. */
const settle = async ({ head, followers, settleMilliseconds }: TestingDeps): Promise<Reply> => {
  const deadline = performance.now() + (settleMilliseconds ?? SETTLE_MILLISECONDS);
  for (;;) {
    const position = await head();
    const left = Math.max(0, deadline - performance.now());
    const outcomes = await Promise.all(
      followers.map(async (follower) => ({
        name: follower.name,
        passed: await follower.passed(position, left),
      })),
    );
    const lagging = outcomes.filter(({ passed }) => !passed).map(({ name }) => name);
    if (lagging.length > 0) {
      const message = `Not settled yet: ${lagging.join(', ')}.`;
      return { status: 504, json: { success: false, message, lagging, position } };
    }
    if ((await head()) === position) return ok({ success: true, message: '', position });
  }
};

/** For end-to-end tests: the clock, the jobs, and waiting for everything to come to rest (header Testing-Secret). */
export const testingRoutes = (deps: TestingDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/clock',
    summary: "Move the shop's clock on",
    schemas: { body: clockBody },
    handle: async ({ body }) => {
      await deps.clock.advance(body.advanceSeconds);
      return ok({ success: true, message: '', now: isoInstant(deps.clock.now()) });
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/jobs/{name}',
    summary: 'Run a job once, now',
    schemas: { params: jobParams },
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const summary = await deps.runJob(params.name);
      if (summary) return ok(summary);
      const known = deps.jobNames.join(', ') || 'none';
      throw new Rejection('entity-not-found', `There is no job ${params.name}; this service has ${known}.`);
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/settle',
    summary: 'Wait until everything that follows the log has passed its head',
    handle: () => settle(deps),
  }),
];
