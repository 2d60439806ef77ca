import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyTree } from '#test/support/tree-copy.ts';
import { applyChange, applyPages, changesIn, typeErrors } from '#test/support/worked-examples.ts';

/** In this order: the setting builds on the job. */
const pages = [
  'an-event',
  'a-webhook-topic',
  'a-report-figure',
  'a-background-job',
  'a-setting',
  'a-provider',
].map((page) => `docs/how-to-add/${page}.md`);

interface Report {
  readonly passes: readonly { readonly file: string }[];
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message: string } }[];
}

/** Runs test files of the copy, in the copy. */
const runTests = (tree: string, tests: readonly string[]): Report => {
  const mocha = resolve('node_modules/mocha/bin/mocha.js');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [mocha, '--no-config', '--exit', '--reporter', 'json', ...tests],
    { cwd: tree, encoding: 'utf8' },
  );
  if (!stdout.startsWith('{')) throw new Error(`the tests did not run: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Report;
};

describe('The pages on how to add something', () => {
  let tree: string;
  let files: readonly string[];
  before(() => {
    tree = copyTree('how-to-add');
    files = applyPages(pages, tree);
  });
  after(() => rmSync(tree, { recursive: true, force: true }));

  it('are all here, and in the README', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(globSync('docs/how-to-add/*.md')).to.have.members(pages);
    expect(pages.filter((page) => !readme.includes(`(${page})`))).to.deep.equal([]);
    for (const page of pages) {
      const text = readFileSync(page, 'utf8');
      expect(changesIn(text), page).to.have.length(text.split('```diff').length - 1);
    }
  });

  it('show changes that compile, all of them together', () => {
    const wrong = 'shared-kernel/values/wrong-example.ts';
    writeFileSync(join(tree, wrong), "export const wrong: number = 'text';\n");
    const sources = files.filter((file) => file.endsWith('.ts'));
    expect(typeErrors(tree, [...sources, wrong])).to.deep.equal([
      `${wrong}: Type 'string' is not assignable to type 'number'.`,
    ]);
  });

  it('show tests that pass', () => {
    const tests = files.filter((file) => file.endsWith('.test.ts'));
    const { passes, failures } = runTests(tree, tests);
    expect(failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`)).to.deep.equal([]);
    const run = new Set(passes.map(({ file }) => file));
    expect(tests.filter((file) => !run.has(join(tree, file)))).to.deep.equal([]);
    for (const page of pages)
      expect(readFileSync(page, 'utf8'), page).to.match(/^\+\+\+ b\/test\/.*\.test\.ts$/m);
  });

  it('are applied where their lines are, and nowhere else', () => {
    const [change] = changesIn('```diff\n--- a/x.ts\n+++ b/x.ts\n@@\n one\n-two\n+three\n```\n');
    expect(change && applyChange(change, 'zero\none\ntwo\n')).to.equal('zero\none\nthree\n');
    expect(() => change && applyChange(change, 'one\n2\n')).to.throw('x.ts: 0 places, not one');
    expect(() => change && applyChange(change, 'one\ntwo\none\ntwo\n')).to.throw('x.ts: 2 places, not one');
  });
});
