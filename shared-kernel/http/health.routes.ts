import type { Service } from '#values/service.ts';
import { readyQuery, type ReadinessScope } from '#contracts/health.contract.ts';
import type { Unready } from '#runtime/health.ts';
import { anyone, ok, recognised, route, type Route, type RouteRequest } from './route.ts';

export interface HealthDeps {
  readonly service: Service;
  /** What is not ready, and why; empty when the process can serve. */
  readonly problems: (scope: ReadinessScope) => Promise<readonly Unready[]>;
  /** What works less than the owner may think, though the process serves. */
  readonly warnings: () => readonly Unready[];
  /** The text of all figures. */
  readonly metrics: () => Promise<string>;
}

/** The backoffice, and callers on this machine: reasons name engines and their addresses. */
const mayKnowReasons = ({ actor, isFromThisMachine }: RouteRequest): boolean =>
  actor.kind === 'backoffice' || actor.kind === 'operator' || isFromThisMachine === true;

/** Liveness, readiness, and figures for Prometheus. */
export const healthRoutes = ({ service, problems, warnings, metrics }: HealthDeps): readonly Route[] => {
  const common = {
    method: 'GET',
    base: 'root',
    service,
    caller: anyone,
    status: 200,
    file: import.meta.url,
  } as const;
  return [
    route({
      ...common,
      path: '/health/live',
      summary: 'Whether the process runs',
      handle: async () => ok({ status: 'live' }),
    }),
    route({
      ...common,
      path: '/health',
      summary: 'The same',
      handle: async () => ok({ status: 'live' }),
    }),
    route({
      ...common,
      path: '/health/ready',
      summary: 'Whether the process can serve; why not, to callers of the backoffice and on this machine',
      schemas: { query: readyQuery },
      caller: recognised,
      handle: async (request) => {
        const isKnowing = mayKnowReasons(request);
        const warned = isKnowing ? warnings() : [];
        const more = warned.length > 0 ? { warnings: warned } : {};
        const reasons = await problems(request.query.scope);
        if (reasons.length === 0) return ok({ status: 'ready', ...more });
        const json = { status: 'not ready', ...(isKnowing && { reasons }), ...more };
        return { status: 503, json, headers: { 'Retry-After': '1' } };
      },
    }),
    route({
      ...common,
      path: '/metrics',
      summary: 'Figures for Prometheus',
      handle: async () => ({
        status: 200,
        text: await metrics(),
        headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
      }),
    }),
  ];
};
