import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportProductFile, importProductFile } from '#command/cli/product-files.ts';
import { loadConfig } from '#runtime/config.ts';
import { findRunningShop, type RunningShop } from '#runtime/running-shop.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

/** docs/guides/product-csv.md#at-the-command-line */
describe('product files at the command line', () => {
  let folder: string;
  let shop: TestShop;
  let running: RunningShop;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-csv-'));
    shop = await TestShop.open();
    const { port } = new URL(shop.base);
    const config = loadConfig({ env: { PORT: port, BACKOFFICE_API_KEY: API_KEY } });
    running = (await findRunningShop(config)) ?? expect.fail('the shop was not found');
  });
  after(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  const fileOf = (name: string, ...rows: string[]): string => {
    const file = join(folder, name);
    writeFileSync(file, ['Handle,Title,Variant SKU,Variant Price', ...rows].join('\n'));
    return file;
  };

  it('are imported, are checked only where that is asked for, and say how far they are', async () => {
    const file = fileOf('new.csv', 'jug,Jug,JUG,12', 'jar,Jar,JAR,8');
    const checked = await importProductFile(running, file, { profile: 'strict', dryRun: true });
    expect(checked).to.deep.equal({ text: 'The file can be imported.\n2 rows.\n', isDone: true });
    const seen: number[] = [];
    const imported = await importProductFile(running, file, { profile: 'strict' }, ({ done }) =>
      seen.push(done),
    );
    expect(imported).to.deep.equal({
      text:
        'Everything was imported.\n' +
        '2 rows: 2 products created, 0 changed, 0 as they were; 0 variants removed.\n',
      isDone: true,
    });
    expect(seen.at(-1)).to.equal(2);
  });

  it('that are wrong are refused, with line and column', async () => {
    const file = fileOf('wrong.csv', 'fine,Fine,FINE,1', 'odd,Odd,ODD,cheap');
    const { text, isDone } = await importProductFile(running, file, { profile: 'strict' });
    expect(isDone).to.equal(false);
    expect(text).to.include('Nothing was imported: 1 errors.');
    expect(text).to.match(/\n {2}error in line 3, Variant Price: must be a number such as 12\.50\n/);
    const headless = join(folder, 'headless.csv');
    writeFileSync(headless, 'a,b\n1,2\n');
    const refused = await importProductFile(running, headless, { profile: 'strict' }).catch(String);
    expect(refused).to.include('must be a CSV file with a header that has the column Handle');
  });

  it('are exported into a file that is not there yet', async () => {
    await shop.sell('kettle', { price: 30 });
    const file = join(folder, 'all.csv');
    const { isDone } = await exportProductFile(running, file, { profile: 'extended' });
    expect(isDone).to.equal(true);
    expect(readFileSync(file, 'utf8')).to.include('kettle');
    const again = await exportProductFile(running, file, { profile: 'extended' }).catch(String);
    expect(again).to.include('EEXIST');
  });
});
