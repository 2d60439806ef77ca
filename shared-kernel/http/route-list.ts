import type { Service } from '#values/service.ts';
import type { Route } from './route.ts';
import { pathsOf } from './route-tree.ts';

/** An endpoint as `tillroll routes` and GET /reference/endpoints show it. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly service: Service;
  readonly caller: string;
  readonly summary: string;
  readonly file: string;
}

/** Every endpoint under its first address, by path and method. */
export const listRoutes = (routes: readonly Route[]): readonly Endpoint[] =>
  routes
    .map((route) => ({
      method: route.method,
      path: pathsOf(route)[0],
      service: route.service,
      caller: route.caller.label ?? route.caller.kind,
      summary: route.summary,
      file: route.file,
    }))
    .sort((one, other) => compare(one.path, other.path) || compare(one.method, other.method));

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Where a gateway sends a request, aliases included. */
export interface GatewayRow {
  readonly method: string;
  /** A regular expression of the whole path. */
  readonly pattern: string;
  readonly service: Service;
}

/** Rows to try from top to bottom: fixed paths before those with parameters. */
export const gatewayTable = (routes: readonly Route[]): readonly GatewayRow[] =>
  routes
    .flatMap((route) =>
      pathsOf(route).map((path) => ({ path, method: route.method, service: route.service })),
    )
    .sort((one, other) => parameters(one.path) - parameters(other.path) || compare(one.path, other.path))
    .map(({ path, method, service }) => ({ method, pattern: patternOf(path), service }));

const parameters = (path: string): number => path.split('{').length - 1;

const patternOf = (path: string): string =>
  `^${path
    .replace(/\/$/, '')
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '[^/]+' : segment.replace(/[.*+?^$()|[\]\\]/g, '\\$&')))
    .join('/')}/?$`;
