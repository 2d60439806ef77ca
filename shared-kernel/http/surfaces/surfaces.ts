import { account } from './account.ts';
import { agent } from './agent.ts';
import { callbacks } from './callbacks.ts';
import { checkout } from './checkout.ts';
import { downloads } from './downloads.ts';
import { consent } from './consent.ts';
import { management } from './management.ts';
import { oauth } from './oauth.ts';
import { pages } from './pages.ts';
import { root } from './root.ts';
import { storefront } from './storefront.ts';
import type { Surface } from './surface.ts';
import { testing } from './testing.ts';

/** The surfaces of the shop, by the names that routes give. */
export const surfaces = {
  storefront,
  checkout,
  account,
  downloads,
  callbacks,
  management,
  agent,
  oauth,
  consent,
  pages,
  testing,
  root,
} as const;

export type Base = keyof typeof surfaces;

/** Finds the surface that answers nearest above a path; the root has the rest. */
export const surfaceFinder = (among: readonly Surface[]): ((path: string) => Surface) => {
  const mounted = [...new Set([...among, root])]
    .flatMap((surface) => (surface.answersBelow ?? surface.mountPoints).map((point) => ({ point, surface })))
    .sort((one, other) => other.point.length - one.point.length);
  return (path) =>
    mounted.find(({ point }) => path === point || path.startsWith(`${point}/`))?.surface ?? root;
};

/** The surface of a path in this shop. */
export const surfaceAt = surfaceFinder(Object.values(surfaces));
