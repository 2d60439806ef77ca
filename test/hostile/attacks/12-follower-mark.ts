import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: "a follower's mark and its state part",
  before: 'state was read at one position and its mark at another',
  kind: 'own',
  run: shownBy(
    ['unit/engine-feed/follow-reference', 'unit/dispatcher/follow-log'],
    'between its state and its mark|snapshot was read before another process',
  ),
};
