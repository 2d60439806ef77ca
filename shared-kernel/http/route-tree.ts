import type { Route } from './route.ts';
import type { Surface } from './surfaces/surface.ts';
import { surfaceFinder, surfaces } from './surfaces/surfaces.ts';

/** Every path under which a route answers; the first is the one to document. */
export const pathsOf = (route: Route): readonly [string, ...string[]] => {
  const { mountPoints, isAliased } = route.surface;
  const [first, ...aliases] = mountPoints;
  const own = route.path === '/' && first !== '' ? '' : route.path;
  return [
    `${first}${own}`,
    ...(isAliased?.(route) === false ? [] : aliases.map((alias) => `${alias}${own}`)),
  ];
};

/** A request's path without the address of its surface: the same under every alias. */
export const pathOnSurface = ({ surface }: Route, path: string): string => {
  const mountPoint = surface.mountPoints.find((candidate) => path.startsWith(`${candidate}/`)) ?? '';
  return path.slice(mountPoint.length);
};

/** A route with the values of its parameters, checked by its schema. */
export interface Match {
  readonly route: Route;
  readonly params: unknown;
}

/** Only other methods at a path, and the surface that says so. */
export interface OtherMethods {
  readonly allow: readonly string[];
  readonly surface: Surface;
}

/** What there is at a path: a route, only other methods, or nothing. */
export type RouteMatch = Match | OtherMethods | null;

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: Node | null;
  readonly routes: Map<string, Target>;
}

interface Target {
  readonly route: Route;
  readonly parameterNames: readonly string[];
}

const newNode = (): Node => ({ fixed: new Map(), parameter: null, routes: new Map() });

/**
 * Finds routes by method and path, segment by segment, fixed segments before parameters. A parameter that does not
 * fit its schema (a malformed GUID) is no match. Throws TypeError when two routes have the same method and path.
 */
export class RouteTree {
  readonly #root = newNode();
  /** The surface of a path, also of one where there is nothing. */
  readonly surfaceAt: (path: string) => Surface;

  constructor(routes: readonly Route[]) {
    // Also of a surface whose routes all run elsewhere; before those by which a route differs from its surface.
    this.surfaceAt = surfaceFinder([...Object.values(surfaces), ...routes.map(({ surface }) => surface)]);
    for (const route of routes) for (const path of pathsOf(route)) this.#add(route, path);
  }

  find(method: string, path: string): RouteMatch {
    const wanted = method === 'HEAD' ? 'GET' : method;
    const others = new Map<string, Route>();
    const match = findIn(this.#root, segmentsOf(path), 0, [], wanted, others);
    if (match) return match;
    const [first] = others.values();
    if (!first) return null;
    // Two surfaces may share a path: that of the address goes first.
    const here = this.surfaceAt(path);
    const surfacesThere = [...others.values()].map(({ surface }) => surface.name);
    const surface = surfacesThere.includes(here.name) ? here : first.surface;
    return { allow: [...others.keys()].sort(), surface };
  }

  #add(route: Route, path: string): void {
    const parameterNames: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(path)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      if (name === undefined) node = childOf(node, segment);
      else {
        parameterNames.push(name);
        node = node.parameter ??= newNode();
      }
    }
    const other = node.routes.get(route.method)?.route;
    if (other) throw new TypeError(`${route.method} ${path} is in ${other.file} and in ${route.file}`);
    node.routes.set(route.method, { route, parameterNames });
  }
}

const segmentsOf = (path: string): string[] => {
  const segments = path.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
};

const childOf = (node: Node, segment: string): Node => {
  const known = node.fixed.get(segment);
  if (known) return known;
  const child = newNode();
  node.fixed.set(segment, child);
  return child;
};

const findIn = (
  node: Node,
  segments: readonly string[],
  depth: number,
  values: readonly string[],
  method: string,
  others: Map<string, Route>,
): Match | null => {
  const segment = segments[depth];
  if (segment === undefined) return matchAt(node, values, method, others);
  const fixed = node.fixed.get(segment);
  const match = fixed && findIn(fixed, segments, depth + 1, values, method, others);
  if (match || node.parameter === null) return match ?? null;
  return findIn(node.parameter, segments, depth + 1, [...values, segment], method, others);
};

const noParams = {};

const matchAt = (
  node: Node,
  values: readonly string[],
  method: string,
  others: Map<string, Route>,
): Match | null => {
  const target = node.routes.get(method);
  if (target) {
    if (values.length === 0) return { route: target.route, params: noParams };
    const params = paramsOf(target, values);
    if (params !== null) return { route: target.route, params };
  }
  for (const [other, candidate] of node.routes) {
    const isFurther = other !== method && !others.has(other);
    if (isFurther && paramsOf(candidate, values) !== null) others.set(other, candidate.route);
  }
  return null;
};

/** The parameters by name as their schema has them; null when they do not fit. */
const paramsOf = ({ route, parameterNames }: Target, values: readonly string[]): unknown => {
  const given: Record<string, string> = {};
  for (const [index, name] of parameterNames.entries()) {
    const value = decoded(values[index] ?? '');
    if (value === null) return null;
    given[name] = value;
  }
  const { params } = route.schemas;
  if (!params) return given;
  const checked = params.safeParse(given);
  return checked.success ? checked.data : null;
};

const decoded = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
};
