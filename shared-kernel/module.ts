import type { ServiceParts } from '#http/http-application.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { RunningService } from './open-services.ts';

/** What a part of a service brings along: a context, or its engine. */
export interface Contribution extends Partial<ServiceParts> {
  readonly jobs?: readonly Job[];
  /** See `RunningService.prepare`. */
  prepare?(onProgress: (done: number, total: number) => void): Promise<void>;
  /** Finishes what is in flight. */
  stop?(): Promise<void>;
}

type Joined = Omit<RunningService, 'service' | 'idempotency' | 'opensBasket' | 'start'>;

/** Everything that the parts of a service bring along, as one. */
export const joinContributions = (parts: readonly Contribution[]): Joined => ({
  routes: parts.flatMap(({ routes = [] }) => routes),
  testingRoutes: parts.flatMap(({ testingRoutes = [] }) => testingRoutes),
  jobs: parts.flatMap(({ jobs = [] }) => jobs),
  checks: parts.flatMap(({ checks = [] }) => checks),
  followers: parts.flatMap(({ followers = [] }) => followers),
  measure: (metrics) => {
    for (const part of parts) part.measure?.(metrics);
  },
  prepare: async (onProgress = () => undefined) => {
    for (const part of parts) await part.prepare?.(onProgress);
  },
  stop: async () => {
    await Promise.all(parts.map(async (part) => part.stop?.()));
  },
});
