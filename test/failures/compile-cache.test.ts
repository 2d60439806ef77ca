import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ShopProcess } from '../support/shop-process.ts';
import { root } from '../support/tillroll-process.ts';

describe('a start', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tillroll-compiled-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What a shop says from its start to its stop in good order. */
  const start = async (compileCache: string): Promise<string> => {
    const shop = await ShopProcess.open({
      env: { STORE_FILE: 'none', NODE_COMPILE_CACHE: compileCache },
      fromSource: true,
    });
    try {
      await shop.stop();
      return shop.printed;
    } finally {
      await shop.close();
    }
  };
  const timesSaid = (said: string): number => said.split('There is no compile cache').length - 1;
  const timesStale = (said: string): number => said.split('The compile cache was empty').length - 1;
  const filesIn = (): readonly string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();
  const contents = (): ReadonlyMap<string, string> =>
    new Map(filesIn().map((file) => [file, readFileSync(file, 'hex')]));

  it('where no compile cache can be written opens the shop without one, and says so once', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(timesSaid(await start(file))).to.equal(1);
  });

  it('finds everything compiled by the install; a damaged or outdated cache it mends, and says so once', async () => {
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    await promisify(execFile)(process.execPath, ['.config/compile.js'], { cwd: root, env });
    expect(timesStale(await start(folder))).to.equal(0);
    const files = filesIn();
    const kept = files.map((file) => readFileSync(file));
    // Every other one holds what was compiled from another file, as if its code had changed since.
    files.forEach((file, index) =>
      writeFileSync(file, index % 2 === 0 ? 'damaged' : (kept[index - 1] ?? '')),
    );
    expect(timesStale(await start(folder))).to.equal(1);
    const mended = contents();
    expect(timesStale(await start(folder))).to.equal(0);
    expect(contents(), 'nothing was compiled, in no thread').to.deep.equal(mended);
  });
});
