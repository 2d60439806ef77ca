import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'two processes ask a provider that goes away',
  before: 'the second process took "away" as final: charged twice',
  kind: 'own',
  run: shownBy(['failures/f33-*']),
};
