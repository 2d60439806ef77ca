import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { placeDemoDownloads } from '#command/contexts/store/demo-downloads.ts';
import { silentLogger } from '#runtime/logging.ts';
import { demoStore } from '#test/support/demo-store.ts';

describe('the files of the demo store', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'tillroll-demo-'))));
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('are those that its digital products name, for the owner of the shop only', async () => {
    await placeDemoDownloads(dataDir, silentLogger());
    const folder = join(dataDir, 'downloads');
    const placed = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const named = demoStore.products.flatMap(({ digitalFileIds = [] }) => digitalFileIds);
    expect(placed.map((file) => relative(folder, file))).to.have.members(named);
    for (const file of placed) {
      expect(statSync(file).mode & 0o077, file).to.equal(0);
      expect(statSync(file).size, file).to.be.within(1000, 50_000);
    }
  });

  it('leave alone what an owner has put there, and a disk that takes nothing', async () => {
    const own = join(dataDir, 'downloads/prints/glaze-recipes-volume-one.pdf');
    mkdirSync(join(own, '..'), { recursive: true });
    writeFileSync(own, 'my own recipes');
    await placeDemoDownloads(dataDir, silentLogger());
    expect(readFileSync(own, 'utf8')).to.equal('my own recipes');
    const warned: unknown[] = [];
    await placeDemoDownloads(own, { warn: (...line: unknown[]) => void warned.push(line) });
    expect(warned).to.have.length(1);
  });
});
