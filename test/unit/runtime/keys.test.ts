import { expect } from 'chai';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiKeyFile, createKeyedHash, findApiKey, loadKeys } from '#runtime/keys.ts';

describe('The keys of a shop', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-keys-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const nothing = { applicationKey: null, backofficeApiKey: null };

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
    const keys = loadKeys({ applicationKey, backofficeApiKey: 'configured-api-key', dataDir });
    expect(keys).to.deep.include({
      applicationKey,
      backofficeApiKey: 'configured-api-key',
      isApiKeyNew: false,
    });
    expect(findApiKey({ ...nothing, dataDir })).to.equal(null);
  });

  it('are not made up again when their file is damaged', () => {
    loadKeys({ ...nothing, dataDir });
    writeFileSync(join(dataDir, 'keys', 'application.key'), 'half');
    expect(() => loadKeys({ ...nothing, dataDir })).to.throw('damaged');
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
