import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFound, makeSealedLog, verifyManipulated, type SealedLog } from '#test/support/manipulated-log.ts';
import { manipulations } from '#test/support/manipulations.ts';

describe('A log that was tampered with', () => {
  let log: SealedLog;
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-manipulated-'));

  before(async () => {
    log = await makeSealedLog(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is sound before that, and its seals cover it', async () => {
    for (const isWithCopy of [false, true]) {
      const untouched = {
        name: 'untouched',
        apply: () => undefined,
        expected: () => ({ check: 'none' }),
        isWithCopy,
      };
      const { report } = await verifyManipulated(log, untouched);
      expect(report.problems).to.deep.equal([]);
      expect(report).to.deep.include({ isSound: true });
      expect(report.seals).to.deep.include({ count: 2, isCompared: isWithCopy, uncovered: 0 });
    }
  });

  for (const manipulation of manipulations) {
    it(`shows where: ${manipulation.name}`, async () => {
      const { report, expected } = await verifyManipulated(log, manipulation);
      expect(report.isSound).to.equal(false);
      const found = report.problems.filter((problem) => isFound(problem, expected));
      expect(found, JSON.stringify(report.problems.slice(0, 3))).to.have.length.above(0);
    });
  }

  it('with a history and seals written again passes where no copy of the seals was kept', async () => {
    const forged = manipulations.find(({ isSealedAgain, isWithCopy }) => isSealedAgain && isWithCopy);
    if (!forged) throw new Error('there is one');
    const { report } = await verifyManipulated(log, {
      ...forged,
      name: 'forged without a copy',
      isWithCopy: false,
    });
    expect(report.problems).to.deep.equal([]);
  });
});
