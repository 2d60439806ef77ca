import { expect } from 'chai';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const LONGEST_PARAGRAPH = 500;

const pages = ['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')];

/** What a reader sees of a text: of links the words. */
const visible = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

const startsItem = /^\s*(?:[-*]|\d+\.)\s/;
const standsAlone = /^(?:#|\|)/;

/** Paragraphs and list items; code, headings and tables are none. */
const paragraphsOf = (markdown: string): readonly string[] => {
  const paragraphs: string[][] = [[]];
  for (const line of markdown.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').split('\n')) {
    if (startsItem.test(line)) paragraphs.push([line.trim()]);
    else if (line.trim() === '' || standsAlone.test(line)) paragraphs.push([]);
    else paragraphs.at(-1)?.push(line.trim());
  }
  return paragraphs.map((lines) => visible(lines.join(' '))).filter((text) => text !== '');
};

describe('Pages', () => {
  it(`have no paragraph over ${LONGEST_PARAGRAPH} characters`, () => {
    const long = pages.flatMap((page) =>
      paragraphsOf(readFileSync(page, 'utf8'))
        .filter((text) => text.length > LONGEST_PARAGRAPH)
        .map((text) => `${page}: ${text.length} characters: ${text.slice(0, 60)}…`),
    );
    expect(long).to.deep.equal([]);
  });

  it('have a name of their own: a guide and a rule cannot be taken for each other', () => {
    const names = globSync('docs/*/**/*.md').map((page) => basename(page));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('are found by paragraph and item', () => {
    const text = '# Title\n\nOne\ntwo [three](x.md).\n\n- four\n  five\n- six\n\n| a |\n\n```\ncode\n```\n';
    expect(paragraphsOf(text)).to.deep.equal(['One two three.', '- four five', '- six']);
  });
});
