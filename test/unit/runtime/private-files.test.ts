import { expect } from 'chai';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeDataFolder, makePrivateFile, makePrivateFolder } from '#runtime/private-files.ts';

describe('What a shop keeps on disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-private-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  it('is made for its owner only, with the folders above it', () => {
    const file = join(folder, 'data', 'deep', 'events.db');
    makePrivateFile(file);
    expect(modeOf(file)).to.equal(0o600);
    for (const above of ['data', 'data/deep']) expect(modeOf(join(folder, above))).to.equal(0o700);
  });

  it('is narrowed where an earlier release made it, and keeps what it holds', () => {
    const file = join(folder, 'events.db');
    for (const suffix of ['', '-wal', '-shm']) {
      writeFileSync(file + suffix, 'events');
      chmodSync(file + suffix, 0o664);
    }
    makePrivateFile(file);
    for (const suffix of ['', '-wal', '-shm']) expect(modeOf(file + suffix)).to.equal(0o600);
    expect(readFileSync(file, 'utf8')).to.equal('events');
  });

  it('is in a folder that is closed to others when the shop starts', () => {
    chmodSync(folder, 0o755);
    expect(closeDataFolder(folder)).to.equal(null);
    expect(modeOf(folder)).to.equal(0o700);
    expect(closeDataFolder(join(folder, 'not-there'))).to.equal(null);
  });

  it('may lie in a folder that all users share: that one stays as it is, and the operator is told', () => {
    chmodSync(folder, 0o1777);
    expect(closeDataFolder(folder)).to.include('0700');
    expect(modeOf(folder)).to.equal(0o777);
  });

  it('leaves a folder that is there as it is', () => {
    chmodSync(folder, 0o755);
    makePrivateFolder(folder);
    makePrivateFile(join(folder, 'one'));
    expect(modeOf(folder)).to.equal(0o755);
  });
});
