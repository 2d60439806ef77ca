import { expect } from 'chai';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryEngines } from '#runtime/config-engines.ts';
import { apiKeyFile, createKeyedHash, findApiKey, loadKeys, readApplicationKey } from '#runtime/keys.ts';

describe('The keys of a shop', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-keys-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const nothing = { applicationKey: null, backofficeApiKey: null, engines: memoryEngines };

  it('are generated on the first start, for their owner only, and found again', () => {
    const first = loadKeys({ ...nothing, dataDir });
    expect(first.isApiKeyNew).to.equal(true);
    expect(first.applicationKey).to.have.length(32);
    for (const file of [apiKeyFile(dataDir), join(dataDir, 'keys', 'application.key')])
      expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(loadKeys({ ...nothing, dataDir })).to.deep.equal({ ...first, isApiKeyNew: false });
    expect(findApiKey({ ...nothing, dataDir })).to.equal(first.backofficeApiKey);
  });

  it('come from the configuration where it has them', () => {
    const applicationKey = Buffer.alloc(32, 5);
    const keys = loadKeys({ ...nothing, applicationKey, backofficeApiKey: 'configured-api-key', dataDir });
    expect(keys).to.deep.include({
      applicationKey,
      backofficeApiKey: 'configured-api-key',
      isApiKeyNew: false,
    });
    expect(findApiKey({ ...nothing, dataDir })).to.equal(null);
  });

  it('are not generated again if their file is damaged', () => {
    loadKeys({ ...nothing, dataDir });
    writeFileSync(join(dataDir, 'keys', 'application.key'), 'half');
    expect(() => loadKeys({ ...nothing, dataDir })).to.throw('damaged');
  });

  it('are whole or not there: an empty file, as a full disk leaves it, is none', () => {
    const application = join(dataDir, 'keys', 'application.key');
    const files = [apiKeyFile(dataDir), application];
    loadKeys({ ...nothing, dataDir });
    for (const file of files) writeFileSync(file, '');
    expect(findApiKey({ ...nothing, dataDir })).to.equal(null);
    const state = join(dataDir, 'state.db');
    writeFileSync(state, 'data');
    const engines = { ...memoryEngines, state: { kind: 'sqlite' as const, file: state } };
    expect(() => loadKeys({ ...nothing, engines, dataDir })).to.throw('missing or empty');
    const again = loadKeys({ ...nothing, dataDir });
    expect([again.isApiKeyNew, again.backofficeApiKey.length > 20]).to.deep.equal([true, true]);
    expect(loadKeys({ ...nothing, dataDir })).to.deep.equal({ ...again, isApiKeyNew: false });
    expect(readdirSync(join(dataDir, 'keys')), 'nothing is left beside it').to.deep.equal([
      'application.key',
    ]);
  });

  it('are not made beside a log or a state store that was written under another one', () => {
    for (const name of ['events', 'state'] as const) {
      const file = join(dataDir, `${name}.db`);
      const engines = { ...memoryEngines, [name]: { kind: 'sqlite' as const, file } };
      writeFileSync(file, 'data');
      expect(() => loadKeys({ ...nothing, engines, dataDir }), name).to.throw(
        'application.key is missing or empty',
      );
      expect(existsSync(join(dataDir, 'keys'))).to.equal(false);
    }
  });

  it('are only read where nothing may be written', () => {
    expect(() => readApplicationKey({ ...nothing, dataDir })).to.throw(
      'application.key is missing or empty: put the file back or set APPLICATION_KEY',
    );
    expect(readdirSync(dataDir)).to.deep.equal([]);
    const applicationKey = Buffer.alloc(32, 5);
    expect(readApplicationKey({ applicationKey, dataDir })).to.equal(applicationKey);
    const kept = loadKeys({ ...nothing, dataDir });
    const file = join(dataDir, 'keys', 'application.key');
    chmodSync(file, 0o644);
    expect(readApplicationKey({ ...nothing, dataDir })).to.deep.equal(kept.applicationKey);
    expect(statSync(file).mode & 0o777).to.equal(0o644);
  });

  it('make hashes that differ by kind, value and shop', () => {
    const hash = createKeyedHash(Buffer.alloc(32, 1));
    expect(hash('email', 'a')).to.equal(hash('email', 'a'));
    const others = [
      hash('code', 'a'),
      hash('email', 'b'),
      createKeyedHash(Buffer.alloc(32, 2))('email', 'a'),
    ];
    for (const other of others) expect(other).not.to.equal(hash('email', 'a'));
  });
});
