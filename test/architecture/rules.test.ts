import { expect } from 'chai';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

// What a comment, a test, a help text or a page cites is there: see docs/rules/README.md.

interface Text {
  readonly path: string;
  readonly text: string;
}

const written = '*.{ts,js,cjs,md,yml,yaml}';
const isGenerated = (name: string): boolean => /^(node_modules|coverage|data(-\w+)?)$/.test(name);

/** Everything that somebody wrote. */
const texts: readonly Text[] = globSync([`**/${written}`, `.config/**/${written}`, `.${written}`], {
  exclude: isGenerated,
}).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

const textOf = new Map(texts.map(({ path, text }) => [path, text]));

/** A heading's anchor as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** The anchors of a page; a heading that stands there again gets a number. */
const anchorsOf = (markdown: string): ReadonlySet<string> => {
  const anchors = new Set<string>();
  const prose = markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
};

const isThere = (page: string, anchor: string | undefined): boolean => {
  const markdown = textOf.get(page);
  return markdown !== undefined && (anchor === undefined || anchorsOf(markdown).has(anchor));
};

/** A comment's text in one line: an address may not, but the words around it may be broken anywhere. */
const inOneLine = (text: string): string => text.replace(/\s*\n\s*(?:\*|\/\/)? ?/g, ' ');

const citedPlaces = ({ path, text }: Text): readonly string[] =>
  [...text.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)]
    .filter(([, page = '', anchor]) => !isThere(page, anchor))
    .map(([cited]) => `${path}: ${cited}`);

const linkedPlaces = ({ path, text }: Text): readonly string[] =>
  [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(([, target = '', anchor]) => {
      const page = target === '' ? path : posix.join(posix.dirname(path), target);
      return page.endsWith('.md') ? !isThere(page, anchor) : !existsSync(page);
    })
    .map(([link]) => `${path}: ${link.slice(2, -1)}`);

/** Texts that are no part of the repository, by the words in which they would be cited. */
const foreign =
  /\b(?:[Dd]ecisions,? (?:storefront|backoffice|management|agent)|[Ss]pecification,? (?:section )?\d|(?:[Aa]rchitecture|[Ss]pecification), section|(?:storefront|backoffice|management|rulings?) \d+\.\d|[Dd]ecisions on [A-Z]|[Tt]he specification\b)/g;

describe('Rules', () => {
  it('are found where comments, tests, help texts and pages cite them', () => {
    expect(texts.flatMap(citedPlaces)).to.deep.equal([]);
  });

  it('are found where pages link to them', () => {
    expect(texts.filter(({ path }) => path.endsWith('.md')).flatMap(linkedPlaces)).to.deep.equal([]);
  });

  it('have an index that names every page', () => {
    const index = textOf.get('docs/rules/README.md') ?? '';
    const pages = texts.map(({ path }) => /^docs\/rules\/(.+\.md)$/.exec(path)?.[1]);
    const missing = pages.filter((page) => page && page !== 'README.md' && !index.includes(`](${page})`));
    expect(missing).to.deep.equal([]);
  });

  it('are the repository’s own: nothing cites a text that it does not contain', () => {
    const cited = texts
      .filter(({ path }) => path !== 'test/architecture/rules.test.ts')
      .flatMap(({ path, text }) =>
        [...inOneLine(text).matchAll(foreign)].map(([words]) => `${path}: ${words}`),
      );
    expect(cited).to.deep.equal([]);
  });
});
