import { Browser } from '../../support/browser.ts';
import { finding, shortResponse, type Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

const spellings = [
  ...[
    '/metrics',
    '/metrics/',
    '//metrics',
    '/METRICS',
    '/%6detrics',
    '/metrics?x',
    '/./metrics',
    '/metrics%2f',
  ],
  ...['/testing/settle', '/testing/settle/', '//testing/settle', '/%74esting/settle', '/TESTING/settle'],
];

/** Asks from outside for what is meant for the inside. Only a shop behind its gateway can show that. */
export const attack: Attack = {
  title: 'metrics and test endpoints from outside',
  before: 'GET /metrics/ passed the gateway, and so did /testing/… with a secret',
  kind: 'harmless',
  run: async (target) => {
    if (target.own)
      return shownBy(
        ['api/http/health', 'architecture/deployment'],
        'figures and test endpoints|at no other spelling|tell strangers',
      )(target);
    const stranger = new Browser(target.url);
    const complaints: string[] = [];
    for (const path of spellings) {
      for (const method of ['GET', 'POST'] as const) {
        const answer = await stranger.call(method, path);
        if (![400, 404, 405].includes(answer.status))
          complaints.push(`${method} ${path}: ${shortResponse(answer)}`);
      }
    }
    const ready = await stranger.get('/health/ready');
    if (Object.keys(ready.body ?? {}).some((key) => !['success', 'status', 'ready', 'message'].includes(key)))
      complaints.push('/health/ready tells strangers the reasons');
    return finding('404 in every spelling', complaints);
  },
};
