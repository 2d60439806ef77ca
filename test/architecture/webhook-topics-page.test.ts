import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { printTopicsPage } from '#topics/print-topics-page.ts';
import { topicKeys } from '#topics/topics.ts';

describe('The page of webhook topics', () => {
  it('is docs/webhook-topics.md as npm run topics-page writes it', () => {
    expect(
      readFileSync('docs/webhook-topics.md', 'utf8') === printTopicsPage(),
      'run npm run topics-page',
    ).to.equal(true);
  });

  it('has a section for every topic, with its fields and an example', () => {
    const sections = printTopicsPage().split('\n### ').slice(1);
    expect(sections.map((section) => section.split('\n')[0])).to.have.members([...topicKeys]);
    for (const section of sections) expect(section).to.include('| `').and.include('```json');
    const cleared = sections.find((section) => section.startsWith('basket.updated'));
    expect(cleared).to.include('| `item.sku` | text |').and.include('`basket.cleared`');
    const delivered = sections.find((section) => section.startsWith('digital.delivered'));
    expect(delivered).to.include('| `downloadLinks[].expiresUtc` | instant, or null |');
    expect(delivered).to.include('| `customerEmail` | text, or null |');
  });
});
