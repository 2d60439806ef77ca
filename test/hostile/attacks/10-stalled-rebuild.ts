import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'a process freezes while it rebuilds a read model',
  before: 'it pointed everybody at an empty read model',
  kind: 'own',
  run: shownBy(['failures/f35-*']),
};
