import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { freePort } from '#test/support/free-port.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const member = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada Lovelace' };

// docs/agents.md
describe('The sample agent', () => {
  let shop: TestShop;
  let folder: string;
  let port: number;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sample-agent-'));
    port = await freePort();
    const settings = JSON.parse(readFileSync('test/sample-agent/shop.json', 'utf8')).Protocol.Ucp;
    const clients = settings.OAuth.Clients.map((client: object) => ({
      ...client,
      profileUri: `http://127.0.0.1:${port}/profile.json`,
    }));
    shop = await TestShop.open({
      environment: {
        Protocol__Ucp__AllowInsecureLoopback: String(settings.AllowInsecureLoopback),
        Protocol__Ucp__Capabilities__IdentityLinking: String(settings.Capabilities.IdentityLinking),
        Protocol__Ucp__OAuth__Clients: JSON.stringify(clients),
      },
    });
    await shop.sell('mug', { price: 10, stock: 50 });
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  /** A run of it, as someone elsewhere would run it. */
  const run = (...args: readonly string[]) =>
    new Promise<{ readonly code: number | null; readonly told: string }>((resolve) => {
      const agent = ['test/sample-agent/main.ts', '--shop', shop.base, '--search', 'mug'];
      const own = ['--port', String(port), '--key', join(folder, 'key.pem')];
      const child = spawn(process.execPath, [...agent, ...own, ...args]);
      let told = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (told += String(chunk)));
      child.on('close', (code) => resolve({ code, told }));
    });

  for (const version of datedVersions)
    it(`buys, and verifies everything that the shop has signed, in ${version}`, async () => {
      const { code, told } = await run('--strict', '--version', version);
      expect(code, told).to.equal(0);
      expect(told).to.match(
        /PUT .* \(changed on its way\)\n {3}< 40[01]: (digest_mismatch|signature_invalid)/,
      );
      expect(told).to.match(/\n {3}\* order_placed .*: verified/);
      expect(told).to.include('The repeat has changed nothing.');
    });

  it('buys for a member who has let it, and no longer once it has given that back', async () => {
    await shop.shopper().post('/api/shop/account/register', member);
    const { code, told } = await run('--strict', '--link', '--member', `${member.email}:${member.password}`);
    expect(code, told).to.equal(0);
    expect(told).to.include('Linked for 3600 seconds');
    expect(told).to.match(/\(with the former token\)\n {3}< 401: invalid_token/);
    const { items } = (await shop.admin.ask(manage.get('/customers?search=ada@example.com'))).body;
    expect(items).to.have.length(1);
  });
});
