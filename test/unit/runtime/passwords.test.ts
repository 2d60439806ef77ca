import { expect } from 'chai';
import { createPasswords } from '#runtime/passwords.ts';

const codeOf = (outcome: PromiseSettledResult<unknown>): string =>
  outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { readonly code: string }).code;

describe('Hashing of passwords', () => {
  it('tells right from wrong, and nobody’s from both', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('correct horse', 'ada');
    expect(await passwords.isRight('correct horse', hash, 'ada')).to.equal(true);
    expect(await passwords.isRight('correct hearse', hash, 'ada')).to.equal(false);
    expect(await passwords.isRight('correct horse', null, 'ada')).to.equal(false);
  });

  it('has places for so many, and sends the rest away at once', async () => {
    const passwords = createPasswords({ atOnce: 1, waiting: 2, ofOneCaller: 9 });
    const asked = Array.from({ length: 5 }, () => passwords.hash('correct horse', 'ada'));
    expect((await Promise.allSettled(asked)).map(codeOf)).to.deep.equal([
      'done',
      'done',
      'done',
      'too-busy',
      'too-busy',
    ]);
    expect(await passwords.hash('afterwards', 'ada')).to.contain('scrypt$');
  });

  it('lets one caller not take the places of the others', async () => {
    const passwords = createPasswords({ atOnce: 1, waiting: 10, ofOneCaller: 2 });
    const asked = [...Array<string>(4).fill('eve'), 'ada'].map((caller) => passwords.hash('pass', caller));
    const outcomes = (await Promise.allSettled(asked)).map(codeOf);
    expect(outcomes).to.deep.equal(['done', 'done', 'too-busy', 'too-busy', 'done']);
  });
});
