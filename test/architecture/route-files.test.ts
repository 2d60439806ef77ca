import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import type { Route } from '#http/route.ts';
import { listRoutes } from '#http/route-list.ts';
import { TestShop } from '#test/support/shop.ts';

/** The words of a path that are no parameters; of a job's, its name is the job's to say. */
const wordsOf = (path: string): readonly string[] =>
  path
    .replace(/^\/jobs\/.*/, '/jobs')
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{'));

describe('The file of an endpoint', () => {
  let routes: readonly Route[];
  before(async () => {
    const shop = await TestShop.open({
      environment: {
        Protocol__Ucp__TestEndpoints__Enabled: 'true',
        Protocol__Ucp__TestEndpoints__SimulationSecret: 'secret',
      },
    });
    ({ routes } = shop.shop);
    await shop.close();
  });

  it('is the one that declares it', () => {
    const elsewhere = routes.filter(({ file, path }) => {
      const text = readFileSync(file, 'utf8');
      return !wordsOf(path).every((word) => text.includes(word));
    });
    expect(elsewhere.map(({ method, path, file }) => `${method} ${path}: ${file}`)).to.deep.equal([]);
  });

  it('is printed for every file with routes', () => {
    const printed = new Set(listRoutes(routes).map(({ file }) => file));
    const files = globSync('{command,projection,dispatcher}-service/**/*.routes.ts');
    expect(files).to.have.length.above(10);
    expect(files.filter((file) => !printed.has(file))).to.deep.equal([]);
  });
});
