import { expect } from 'chai';
import { globSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { modules as commandModules } from '#command/modules.ts';
import { storeLists } from '#contracts/store-file.contract.ts';
import { modules as dispatcherModules } from '#dispatcher/modules.ts';
import { projectionsOf } from '#projection/engine/join-modules.ts';
import { modules as projectionModules } from '#projection/modules.ts';
import { projections } from '#projection/projections.ts';
import { TestShop } from '#test/support/shop.ts';

const lists: Readonly<Record<string, readonly { readonly name: string }[]>> = {
  'command-service': commandModules,
  'projection-service': projectionModules,
  'dispatcher-service': dispatcherModules,
};

/** What somebody has to mount, follow, drive or run. */
const contributing = '*.{routes,projection,process,job}.ts';

const contextsWith = (service: string, files: string): readonly string[] => [
  ...new Set(globSync(`${service}/contexts/**/${files}`).map((file) => file.split('/')[2] ?? '')),
];

/** What the files with this name export. */
const exportedFrom = async (files: string): Promise<readonly (readonly [string, readonly unknown[]])[]> =>
  Promise.all(
    globSync(files).map(
      async (file) => [file, Object.values((await import(resolve(file))) as object)] as const,
    ),
  );

describe('The modules', () => {
  for (const [service, modules] of Object.entries(lists)) {
    const names = modules.map(({ name }) => name);

    it(`of the ${service} are the contexts that contribute something`, () => {
      expect(names).to.include.members([...contextsWith(service, contributing)]);
    });

    it(`of the ${service} are all in its list, by the alphabet and named like their folders`, () => {
      expect(names).to.have.members([...contextsWith(service, '*.module.ts')]);
      expect(names).to.deep.equal(names.toSorted());
      const files = globSync(`${service}/contexts/*/*.module.ts`);
      expect(files.filter((file) => basename(file) !== `${basename(dirname(file))}.module.ts`)).to.deep.equal(
        [],
      );
    });
  }

  it('name every process', async () => {
    const named: readonly unknown[] = commandModules.flatMap(({ processes = [] }) => processes);
    const files = await exportedFrom('command-service/contexts/**/*.process.ts');
    expect(files).to.have.lengthOf(named.length).above(2);
    expect(files.filter(([, exported]) => !exported.some((one) => named.includes(one)))).to.deep.equal([]);
  });

  it('name every read model', async () => {
    const named: readonly unknown[] = projectionModules.flatMap(({ projections = [] }) => projections);
    const files = await exportedFrom('projection-service/contexts/**/*.projection.ts');
    expect(files).to.have.lengthOf(named.length).above(4);
    expect(files.filter(([, exported]) => !exported.some((one) => named.includes(one)))).to.deep.equal([]);
  });

  it('have the read models that a thread fills', () => {
    expect(projections).to.have.ordered.members(projectionsOf(projectionModules));
  });

  describe('of an open shop', () => {
    let shop: TestShop;
    before(async () => {
      shop = await TestShop.open();
    });
    after(() => shop.close());

    it('run every job', () => {
      const running = shop.shop.services.flatMap(({ jobs }) => jobs.map(({ name }) => name));
      const files = globSync('*-service/contexts/**/*.job.ts').map((file) => basename(file, '.job.ts'));
      expect(files).to.have.length.above(2);
      expect(running).to.include.members(files);
    });

    it('take every list of a store file, in the order in which they are imported', () => {
      const taken = shop.shop.command.deps.storeLists(() => 'GBP').map(({ name }) => name);
      expect(taken).to.deep.equal(storeLists);
    });
  });
});
