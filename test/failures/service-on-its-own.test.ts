import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { services, type Service } from '#values/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a service says, once it has ended by itself. */
const start = async (service: Service, settings: Readonly<Record<string, string>>): Promise<string> => {
  const env = { PATH: process.env['PATH'], PORT: '0', ...settings };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(process.execPath, ['.config/tillroll.js', 'start', service], {
    cwd: root,
    env,
    stdio: [...stdio],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).to.equal(1);
  return said;
};

describe('a service on its own', () => {
  for (const service of services) {
    it(`says what it shares with the others before it starts: ${service}`, async () => {
      const said = await start(service, {});
      expect(said).to.match(/^tillroll: The configuration is not valid:/);
      for (const name of [
        'APPLICATION_KEY',
        'BACKOFFICE_API_KEY',
        'PUBLIC_BASE_URL',
        'EVENT_STORE',
        'STATE_STORE',
      ])
        expect(said).to.include(`\n  ${name}: `);
      expect(said).to.include(`belongs to one process, and the ${service} service shares this one`);
    });
  }

  it('names the one engine that would need a server', async () => {
    const said = await start('command', {
      APPLICATION_KEY: Buffer.alloc(32).toString('base64'),
      BACKOFFICE_API_KEY: 'a-key-that-all-services-share',
      PUBLIC_BASE_URL: 'https://shop.example',
      STATE_STORE: 'mongodb://127.0.0.1:1/tea_state',
    });
    expect(said.trim().split('\n')).to.have.length(2);
    expect(said).to.include('\n  EVENT_STORE: must be esdb://<host> or esdb+discover://<host>');
  });
});
