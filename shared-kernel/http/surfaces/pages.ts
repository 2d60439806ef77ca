import { storefront } from './storefront.ts';
import type { Surface } from './surface.ts';

/** Pages of the shop itself, among those of its storefront: where links in mails lead. */
export const pages: Surface = {
  ...storefront,
  name: 'pages',
  title: 'Pages',
  mountPoints: ['/checkout'],
  callers: ['visitor'],
};
