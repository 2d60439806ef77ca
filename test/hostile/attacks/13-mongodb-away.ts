import type { Attack } from '../attack.ts';
import { shownOnMongo } from '../suites.ts';

export const attack: Attack = {
  title: 'MongoDB away for 20 s and back',
  before: '503 for 6 to 12 s after it was back',
  kind: 'own',
  run: shownOnMongo(['contract/mongodb-outage'], 'answers at once when it is back'),
};
