import type { Service } from '#values/service.ts';
import { anyone, ok, recognised, route, type Route } from './route.ts';

export interface HealthDeps {
  readonly service: Service;
  /** What is not ready, and why; empty when the process can serve. */
  readonly problems: () => Promise<readonly { readonly name: string; readonly reason: string }[]>;
  /** What works less than the owner may think, though the process serves; told to the backoffice only. */
  readonly warnings: readonly { readonly name: string; readonly reason: string }[];
  /** The text of all figures. */
  readonly metrics: () => Promise<string>;
}

/** Liveness, readiness with reasons, and figures for Prometheus. */
export const healthRoutes = ({ service, problems, warnings, metrics }: HealthDeps): readonly Route[] => {
  const common = {
    method: 'GET',
    base: 'root',
    service,
    caller: anyone,
    status: 200,
    file: 'shared-kernel/http/health.routes.ts',
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
      path: '/health/ready',
      summary: 'Whether the process can serve, and if not, why',
      caller: recognised,
      handle: async ({ actor }) => {
        const reasons = await problems();
        const more = actor.kind === 'backoffice' && warnings.length > 0 ? { warnings } : {};
        if (reasons.length === 0) return ok({ status: 'ready', ...more });
        const json = { status: 'not ready', reasons, ...more };
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
