import { expect } from 'chai';
import { passwordProblems } from '#command/contexts/members/password-rules.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';

const { password: usual } = defaultStoreSettings;

describe('A password', () => {
  it('has ten characters, of whatever kind', () => {
    expect(passwordProblems('aaaaaaaaaa', usual)).to.deep.equal([]);
    expect(passwordProblems('aaaaaaaaa', usual)).to.deep.equal(['Use at least 10 characters.']);
    expect(passwordProblems('a'.repeat(1001), usual)).to.deep.equal(['Use at most 1000 characters.']);
  });

  it('is counted in characters as people see them, not in units of a computer', () => {
    expect(passwordProblems('🐌'.repeat(9), usual)).to.have.length(1);
    expect(passwordProblems('🐌'.repeat(10), usual)).to.deep.equal([]);
  });

  for (const [rule, lacking, having] of [
    ['requireDigit', 'no digits here', 'one digit: 1'],
    ['requireUpper', 'all letters small', 'one letter is Capital'],
    ['requireLower', 'ALL LETTERS ARE', 'ONE LETTER IS not'],
    ['requireNonAlphanumeric', 'letters4nd2digits', 'letters and more!'],
  ] as const) {
    it(`may have to meet ${rule}`, () => {
      const rules = { ...usual, [rule]: true };
      expect(passwordProblems(lacking, rules)).to.have.length(1);
      expect(passwordProblems(having, rules)).to.deep.equal([]);
    });
  }

  it('is refused with all its problems at once', () => {
    const strict = { ...usual, requireDigit: true, requireUpper: true, requireNonAlphanumeric: true };
    expect(passwordProblems('short', strict)).to.have.length(4);
  });
});
