import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';

const { urlOf } = (await import(new URL('../../../.config/own-files.js', import.meta.url).href)) as {
  readonly urlOf: (specifier: string, importer?: string) => string | null;
};

const importsIn = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*'(.*)';$/gm)].map(
    ([, specifier = '']) => specifier,
  );

describe('The files of the shop', () => {
  it('are found by their names where Node finds them', () => {
    const files = globSync([
      'tillroll.ts',
      '*-service/main.ts',
      'command-service/contexts/basket/*.ts',
      'test/support/*.ts',
    ]);
    let found = 0;
    for (const file of files) {
      const importer = pathToFileURL(resolve(file)).href;
      const require = createRequire(importer);
      for (const specifier of importsIn(file)) {
        const url = urlOf(specifier, importer);
        if (!specifier.endsWith('.ts')) expect(url, specifier).to.equal(null);
        else expect(url, specifier).to.equal(pathToFileURL(require.resolve(specifier)).href);
        if (url) found += 1;
      }
    }
    expect(found).to.be.greaterThan(500);
  });

  it('leave all else to Node: packages, folders it does not know, and importers that are not the shop’s', () => {
    const importer = new URL('../../../tillroll.ts', import.meta.url).href;
    expect(urlOf('zod', importer)).to.equal(null);
    expect(urlOf('#nowhere/ids.ts', importer)).to.equal(null);
    expect(urlOf('./ids.ts', 'file:///elsewhere/main.ts')).to.equal(null);
    expect(urlOf('./tillroll.ts', undefined)).to.equal(null);
  });
});
