import { expect } from 'chai';
import { machineFaults } from '#test/faults/machine-faults.ts';

/** The long form is a command: `npm run faults`. */
const SECONDS = 1;

describe('F49: what a machine does to a shop while people shop there', () => {
  for (const { name, what, missing, run } of machineFaults)
    it(`loses, doubles and breaks nothing: ${name} (${what})`, async function () {
      const reason = missing();
      if (reason !== null) {
        console.log(`        LEFT OUT: ${name}, as ${reason}`);
        return this.skip();
      }
      const { problems, resumedMs } = await run(SECONDS);
      expect(problems).to.deep.equal([]);
      expect(resumedMs, 'milliseconds until it sold again').to.be.below(30_000);
    }).timeout(180_000);
});
