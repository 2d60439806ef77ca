import { expect } from 'chai';
import { isLookingAhead } from '#http/prefetch.ts';

const looking = (headers: Readonly<Record<string, string>>, isHead = false): boolean =>
  isLookingAhead({ isHead, header: (name) => headers[name] });

describe('a request before anyone has clicked', () => {
  it('says so, in one of the ways of browsers, or is a HEAD', () => {
    expect(looking({}, true)).to.equal(true);
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'x-moz': 'prefetch' },
      { 'x-purpose': 'preview' },
    ])
      expect(looking(headers), JSON.stringify(headers)).to.equal(true);
  });

  it('is no other', () => {
    expect(looking({})).to.equal(false);
    expect(looking({ 'sec-fetch-dest': 'document', purpose: 'none' })).to.equal(false);
  });
});
