import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { createPasswords, type OpenPasswords, type PasswordsOptions } from '#runtime/passwords.ts';

const codeOf = (outcome: PromiseSettledResult<unknown>): string =>
  outcome.status === 'fulfilled' ? 'done' : (outcome.reason as { readonly code: string }).code;

/** How nice each thread of this process is, by its id. */
const niceness = (): readonly (readonly [string, number])[] =>
  readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [id, Number(afterName[16])];
  });

const polite = (): readonly string[] => niceness().flatMap(([id, nice]) => (nice > 0 ? [id] : []));

describe('Hashing of passwords', () => {
  const opened: OpenPasswords[] = [];
  const openPasswords = (options?: PasswordsOptions): OpenPasswords => {
    const passwords = createPasswords(options);
    opened.push(passwords);
    return passwords;
  };
  afterEach(() => Promise.all(opened.splice(0).map((passwords) => passwords.close())));

  it('tells right from wrong, and a missing account from both', async () => {
    const passwords = openPasswords();
    const hash = await passwords.hash('correct horse', 'ada');
    expect(await passwords.isRight('correct horse', hash, 'ada')).to.equal(true);
    expect(await passwords.isRight('correct hearse', hash, 'ada')).to.equal(false);
    expect(await passwords.isRight('correct horse', null, 'ada')).to.equal(false);
  });

  it('has a fixed number of places, and refuses the rest at once', async () => {
    const passwords = openPasswords({ atOnce: 1, waiting: 2, ofOneCaller: 9 });
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

  it('keeps one caller from taking all the places', async () => {
    const passwords = openPasswords({ atOnce: 1, waiting: 10, ofOneCaller: 2 });
    const asked = [...Array<string>(4).fill('eve'), 'ada'].map((caller) => passwords.hash('pass', caller));
    const outcomes = (await Promise.allSettled(asked)).map(codeOf);
    expect(outcomes).to.deep.equal(['done', 'done', 'too-busy', 'too-busy', 'done']);
  });

  it('refuses those who wait for a thread that dies, and starts another for the next', async () => {
    const died: unknown[] = [];
    const log = { error: (...said: unknown[]) => void died.push(said.at(-1)) };
    const passwords = openPasswords({ atOnce: 1, log });
    process.once('worker', (thread: Worker) => void thread.terminate());
    const asked = [passwords.hash('correct horse', 'ada'), passwords.hash('correct horse', 'bea')];
    expect((await Promise.allSettled(asked)).map(codeOf)).to.deep.equal(['too-busy', 'done']);
    expect(died).to.deep.equal(['a thread that hashes passwords has died']);
  });

  // Elsewhere a thread has no priority of its own.
  if (process.platform === 'linux')
    it('runs at low priority in a thread that ends with it', async () => {
      const before = polite();
      const passwords = openPasswords();
      await passwords.hash('correct horse', 'ada');
      await passwords.hash('correct horse', 'ada');
      expect(polite()).to.have.length(before.length + 1);
      await passwords.close();
      expect(polite()).to.deep.equal(before);
    });
});
