import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'work goes on under a lease that was lost',
  before: 'a late release took from a later placement',
  kind: 'own',
  run: shownBy(
    'unit/engine/run-alone*',
    'failures/f35-*lease*',
    'failures/*late-release*',
    'failures/*lost-lease*',
  ),
};
