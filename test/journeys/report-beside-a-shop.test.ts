import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ShopProcess } from '#test/support/shop-process.ts';
import { processEnvironment, root } from '#test/support/tillroll-process.ts';

const run = promisify(execFile);

describe('tillroll report, of a shop that has sold', () => {
  let shop: ShopProcess;
  let today: string;
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tillroll-report-'));
    shop = await ShopProcess.on(folder);
    await tillroll('simulate', '--orders', '30', '--days', '10');
    today = new Date().toISOString().slice(0, 10);
  });
  after(() => shop.close());

  const tillroll = async (...args: readonly string[]): Promise<string> => {
    const env = processEnvironment(shop.dataDir, { PORT: String(shop.port) });
    const { stdout } = await run(process.execPath, ['.config/tillroll.js', ...args], { cwd: root, env });
    return stdout;
  };
  const report = async (...more: readonly string[]): Promise<string> => {
    const from = new Date(Date.parse(today) - 9 * 86_400_000).toISOString().slice(0, 10);
    return tillroll('report', '--from', from, '--to', today, ...more);
  };
  const figures = async (): Promise<Record<string, unknown>> => {
    const { asOf, ...others } = JSON.parse(await report('--json')) as Record<string, unknown>;
    expect(asOf).to.match(/^\d{4}-\d\d-\d\dT/);
    return others;
  };

  it('says the same without the shop, beside it, and after it was killed', async () => {
    const without = await figures();
    await shop.start();
    const beside = await figures();
    await shop.kill();
    const afterwards = await figures();
    expect(beside).to.deep.equal(without);
    expect(afterwards).to.deep.equal(without);
    const [sales] = without['figures'] as { figure: string; total: number; points: unknown[] }[];
    expect(sales?.figure).to.equal('sales');
    expect(sales?.total).to.be.above(0);
    expect(sales?.points).to.have.length(10);
  });

  it('prints a table, or writes a page', async () => {
    expect(await report()).to.match(/Sales +\$[\d,.]+ +(\$[\d,.]+|–) +(\S+ %|–) +[▁▂▃▄▅▆▇█]{10}\n/);
    const file = join(shop.dataDir, 'report.html');
    expect(await report('--html', file)).to.equal('');
    expect(readFileSync(file, 'utf8')).to.match(/^<!doctype html>[^]*<\/html>\n$/);
    const failed = await report('--html', join(shop.dataDir, 'nowhere', 'report.html')).catch(
      (error: unknown) => error,
    );
    expect(failed).to.include({ code: 1 });
    expect((failed as { stderr: string }).stderr).to.match(
      /^tillroll: The report could not be written to .*nowhere/,
    );
  });
});
