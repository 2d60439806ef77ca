import { expect } from 'chai';
import { everythingAtOnce } from '#test/faults/everything-at-once.ts';

const SECONDS = 8;
const SEED = Date.now() % 1_000_000;

/** The long form is a command: `npm run faults`. */
describe('F52: shoppers, staff, product files, callbacks and webhooks at once', () => {
  it(`lose nothing and double nothing while the shop is killed again and again (seed ${SEED})`, async () => {
    const { problems, kills, staff } = await everythingAtOnce(SECONDS, SEED);
    expect(problems).to.deep.equal([]);
    expect(kills).to.be.at.least(1);
    expect(staff).to.have.property('sales').above(0);
  }).timeout(180_000);
});
