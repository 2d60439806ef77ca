import type { Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

export const attack: Attack = {
  title: 'a command process that is just starting',
  before: 'answered 503 for up to a second through the gateway',
  kind: 'own',
  run: shownBy(['api/http/health', 'architecture/deployment'], 'nothing was done'),
};
