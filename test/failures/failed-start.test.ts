import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('a shop that cannot start', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-start-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** What it says, once it has ended by itself. */
  const start = async (settings: Readonly<Record<string, string>>): Promise<string> => {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, STORE_FILE: 'none', PORT: '0', ...settings };
    const child = spawn(process.execPath, ['.config/tillroll.js', 'start'], {
      cwd: root,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).to.equal(1);
    return said;
  };

  it('because its port is taken, says so and ends', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      expect(await start({ PORT: String(port) })).to.match(/^tillroll: .*address already in use/);
    } finally {
      other.close();
    }
  });

  it('because a provider is unknown, says so and ends', async () => {
    const said = await start({ Payments__providers: '["barter"]' });
    expect(said).to.match(/^tillroll: Payments.Providers names barter/);
  });

  it('because it would take test cards in production, says so and ends', async () => {
    const said = await start({ NODE_ENV: 'production', Payments__Providers: 'sandbox' });
    expect(said).to.include('Payments.Providers: sandbox takes no money');
    expect(said).to.include('Payments.AllowSandboxInProduction');
  });
});
