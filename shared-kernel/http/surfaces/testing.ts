import { root } from './root.ts';
import type { Surface } from './surface.ts';

/** End-to-end tests: the clock, jobs, waiting. Mounted only where there is a testing secret. */
export const testing: Surface = {
  ...root,
  name: 'testing',
  title: 'Testing',
  mountPoints: ['/testing'],
  callers: ['testing'],
};
