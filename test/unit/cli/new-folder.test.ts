import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openUsers } from '../../../command-service/cli/open-users.ts';
import { resumeOffline } from '../../../dispatcher-service/cli/resume-offline.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';

describe('A command on a new data folder', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-new-folder-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
  const config = () => loadConfig({ env: { DATA_DIR: dataDir, PORT: '1' } });

  it('makes the keys before there is data, when it adds a user', async () => {
    const { close } = await openUsers(config());
    await close();
    expect(loadKeys(config()).isApiKeyNew).to.equal(false);
  });

  it('makes the keys before there is data, when it resumes what goes out', async () => {
    await resumeOffline(config(), 'now').catch(() => null);
    expect(loadKeys(config()).isApiKeyNew).to.equal(false);
  });
});
