import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';

const services = '{tillroll,{shared-kernel,command-service,projection-service,dispatcher-service}/**/*}.ts';
const tests = '{test,bench}/**/*.ts';

const declaration =
  /^export (?:async |abstract )?(?:const|let|function\*?|class|interface|type) (?:(\w+)|\{([^}]*)\})/gm;

const exportedIn = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(declaration)].flatMap(([, name, names]) =>
    name === undefined ? (names ?? '').split(/[\s,]+/).filter(Boolean) : [name],
  );

/** The words of a name in lower case, between blanks: `HomePageOptions` is ` home page options `. */
const wordsOf = (name: string): string =>
  ` ${name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()
    .trim()} `;

/** A word in the singular and the plural: `claims` for Claim, `tallies` for tally, `shelves` for shelf. */
const formsOf = (word: string): RegExp => {
  const singular = wordsOf(word).trim();
  const plurals = [`${singular}s`, singular.replace(/y$/, 'ies'), singular.replace(/f$/, 'ves')];
  return new RegExp(` (?:${[singular, ...plurals].join('|')}) `);
};

const page = readFileSync('docs/glossary.md', 'utf8');

/** The cells of a section's table, without its head. */
const rowsOf = (heading: string): readonly (readonly [word: string, ...cells: string[]])[] => {
  const [, rest = ''] = page.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^\| (.+) \|$/gm)].slice(1).map(([, cells = '']) => {
    const [word = '', ...others] = cells.split(' | ');
    return [word, ...others];
  });
};

const pathIn = (cell: string | undefined): string => cell?.replaceAll('`', '').trim() ?? '';

const retired = rowsOf('Retired words').map(([word]) => [word.trim(), formsOf(word)] as const);

/** The retired words that a name or a path has. */
const retiredIn = (name: string): readonly string[] => {
  const words = wordsOf(name);
  return retired.flatMap(([word, forms]) => (forms.test(words) ? [`${name}: ${word}`] : []));
};

describe('The glossary', () => {
  it('has the ten roles, each with files', () => {
    const roles = rowsOf('Roles');
    expect(roles).to.have.length(10);
    const files = globSync(services);
    const suffixOf = (pattern: string): string => pattern.replace(/^\*/, '');
    const isUsed = (pattern: string): boolean =>
      pattern.startsWith('*')
        ? files.some((file) => file.endsWith(suffixOf(pattern)))
        : globSync(pattern).length > 0;
    expect(roles.filter(([, , pattern]) => !isUsed(pathIn(pattern))).map(([word]) => word)).to.deep.equal([]);
  });

  it('explains no word that the file it names does not export', () => {
    const words = rowsOf('Our words');
    expect(words).to.not.be.empty;
    const missing = words.filter(
      ([word, , file]) => !exportedIn(pathIn(file)).some((name) => formsOf(word).test(wordsOf(name))),
    );
    expect(missing.map(([word, , file]) => `${word}: ${pathIn(file)}`)).to.deep.equal([]);
  });

  it('has retired what no exported name and no file name has', () => {
    expect(retired).to.not.be.empty;
    const files = [...globSync(services), ...globSync(tests)];
    expect(files.flatMap((file) => exportedIn(file)).flatMap(retiredIn)).to.deep.equal([]);
    expect(globSync(['docs/**/*.md', services, tests]).flatMap(retiredIn)).to.deep.equal([]);
  });

  it('notices a retired word in whatever form it comes', () => {
    const found = [
      'openHouse',
      'NeighboursApi',
      'subscription-tallies.ts',
      'RollCallOptions',
      'keptSlices',
      'TOLD_AT',
    ];
    expect(found.filter((name) => retiredIn(name).length === 0)).to.deep.equal([]);
    expect(['Warehouse', 'storefront', 'isNoticed', 'rolledBack'].flatMap(retiredIn)).to.deep.equal([]);
  });
});
