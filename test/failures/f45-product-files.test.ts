import { expect } from 'chai';
import { CsvProcessEnded, readProducts } from '#command/contexts/catalogue/csv/csv-process.ts';
import type { ReadProduct } from '#command/contexts/catalogue/csv/product-draft.ts';
import { API_KEY, TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1/product-sync';
const MEGABYTES = 1024 * 1024;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly message: string;
  readonly errorCount: number;
  readonly done: number;
}

describe('F45: product files that are made to hurt', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const begin = async (kind: 'validate' | 'start', text: string): Promise<Run> => {
    const answer = await fetch(`${shop.base}${base}/imports/${kind}`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/csv', Authorization: `Bearer ${API_KEY}` },
      body: text,
    });
    const run = (await answer.json()) as Run;
    expect(answer.status, JSON.stringify(run)).to.equal(202);
    return run;
  };
  const runOf = async (id: string): Promise<Run> => (await shop.admin.get(`${base}/runs/${id}`)).body as Run;
  const over = async (id: string): Promise<Run> => {
    const until = performance.now() + 20_000;
    for (;;) {
      const run = await runOf(id);
      if (!['Queued', 'Running'].includes(run.status)) return run;
      expect(performance.now(), 'still under way after 20 s').to.be.below(until);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  /** How long a shopper waits at worst while something goes on. */
  const slowest = async (goesOn: Promise<unknown>): Promise<number> => {
    let isOver = false;
    void goesOn.finally(() => (isOver = true)).catch(() => undefined);
    let worst = 0;
    while (!isOver) {
      const begun = performance.now();
      expect((await shop.shopper().basket()).status).to.equal(200);
      worst = Math.max(worst, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return worst;
  };

  const header = 'Handle,Title\n';
  const hurtful: readonly (readonly [what: string, text: string, says: RegExp])[] = [
    [
      'commas',
      `${header}${','.repeat(15 * MEGABYTES - 20)}`,
      /at most 500 cells|at most 2,000,000 characters/,
    ],
    ['rows of commas', `${header}${`${','.repeat(1_900_000)}\n`.repeat(8)}`, /at most 500 cells/],
    ['columns', `Handle,${'a,'.repeat(900_000)}\n`, /at most 500 cells/],
    ['blank lines', `${header}${'\n'.repeat(15 * MEGABYTES - 20)}`, /at most 250000 rows/],
    ['lines of blanks and commas', `${header}${' ,\n'.repeat(4 * MEGABYTES)}`, /at most 250000 rows/],
    ['one cell', `${header}tee,"${'x'.repeat(1_000_000)}"\n`, /at most 500000 characters/],
    ['quotation marks', `${header}${'"'.repeat(15 * MEGABYTES - 20)}`, /never closed|2,000,000|expected/],
  ];
  for (const [what, text, says] of hurtful)
    it(`of ${what}: say so within seconds, and shoppers do not wait`, async () => {
      const { id } = await begin('validate', text);
      const ending = over(id);
      const worst = await slowest(ending);
      const run = await ending;
      expect(run, JSON.stringify(run)).to.include({ status: 'Completed' });
      expect(run.errorCount).to.be.above(0);
      const { body } = await shop.admin.get(`${base}/runs/${id}/issues`);
      expect((body.items as { message: string }[]).map(({ message }) => message).join()).to.match(says);
      expect(worst, 'the slowest basket in milliseconds').to.be.below(1000);
    });

  it('end who reads them at worst, and the run is given up', async () => {
    const big = `${header}${Array.from({ length: 30_000 }, (_, at) => `h${at},"${'x'.repeat(300)}"`).join('\n')}`;
    async function* parts() {
      yield* [big];
    }
    const reading = readProducts({ profile: 'strict', currency: 'GBP' }, parts(), async () => undefined, {
      maxHeapMegabytes: 12,
    });
    const outcome = await reading.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(CsvProcessEnded);
    expect((outcome as Error).message).to.match(/more than 12 MB of memory/);
  });

  it('take little memory even as one row of fifteen million cells', async () => {
    async function* parts() {
      for (let at = 0; at < 30; at++) yield ','.repeat(500_000);
    }
    const issues: string[] = [];
    const take = async (products: readonly ReadProduct[]) =>
      void issues.push(...products.flatMap((product) => product.issues.map(({ message }) => message)));
    await readProducts({ profile: 'strict', currency: 'GBP' }, parts(), take, { maxHeapMegabytes: 100 });
    expect(issues).to.include('must be a row of at most 2,000,000 characters');
  });

  it('can be called off: what was begun stays, and the next one begins at once', async () => {
    const rows = Array.from({ length: 3000 }, (_, at) => `off-${at},Off ${at}`).join('\n');
    const { id } = await begin('start', `${header}${rows}\n`);
    const cancelled = await shop.admin.post(`${base}/runs/${id}/cancel`, {});
    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
    expect(cancelled.body).to.include({ status: 'Cancelled' });
    const next = await begin('validate', `${header}tee,Tee\n`);
    expect(await over(next.id)).to.include({ status: 'Completed' });
    expect(await runOf(id)).to.include({ status: 'Cancelled' });
    const again = await shop.admin.post(`${base}/runs/${id}/cancel`, {});
    expect(again.status).to.equal(409);
    const { totalItems: before } = (await shop.admin.get('/backoffice/api/v1/products?search=Off')).body;
    expect(before).to.be.below(3000);
  });
});
