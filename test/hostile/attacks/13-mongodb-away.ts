import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'MongoDB away for 20 s and back',
  before: '503 for 6 to 12 s after it was back',
  kind: 'own',
  run: shownBy('contract/mongodb-outage*', 'unit/engine/mongodb*'),
};
