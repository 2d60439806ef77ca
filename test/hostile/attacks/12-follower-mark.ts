import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: "a follower's mark and its state part",
  before: 'state was read at one position and its mark at another',
  kind: 'own',
  run: shownBy('failures/*mark*', 'unit/engine-feed/*mark*'),
};
