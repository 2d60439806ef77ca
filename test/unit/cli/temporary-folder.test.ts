import { EventEmitter } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { inTemporaryFolder } from '#projection/cli/audit/temporary-folder.ts';

/** A process that notes how it ended. */
class EndingProcess extends EventEmitter {
  readonly codes: unknown[] = [];
  readonly exit = (code?: unknown): never => this.codes.push(code) as never;
}

describe('A folder for what may be personal', () => {
  const used = (folder: string): string => {
    writeFileSync(join(folder, 'read.db'), 'Ada');
    return folder;
  };

  it('is gone after the work, also where that has failed', async () => {
    const folder = await inTemporaryFolder((given) => Promise.resolve(used(given)));
    expect(existsSync(folder)).to.equal(false);
    let left = '';
    const failing = inTemporaryFolder((given) => {
      left = used(given);
      return Promise.reject(new Error('failed'));
    });
    expect(await failing.catch((error: Error) => error.message)).to.equal('failed');
    expect([left === '', existsSync(left)]).to.deep.equal([false, false]);
  });

  for (const signal of ['SIGINT', 'SIGTERM'])
    it(`is gone when ${signal} ends the process`, async () => {
      const ending = new EndingProcess();
      await inTemporaryFolder(
        (given) => {
          used(given);
          ending.emit(signal);
          expect([existsSync(given), ending.codes]).to.deep.equal([false, [130]]);
          return Promise.resolve();
        },
        ending as unknown as NodeJS.Process,
      );
      expect(ending.listenerCount('SIGINT') + ending.listenerCount('SIGTERM')).to.equal(0);
    });
});
