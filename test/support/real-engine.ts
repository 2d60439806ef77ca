/** Each names the engine that suites run on; `npm run test:engines` is told by them. */
export type EngineVariable = 'TEST_EVENT_STORE' | 'TEST_READ_STORE' | 'TEST_BUS';

/** The address without a password. */
export const shown = (address: string): string => address.replace(/\/\/[^@/]*@/, '//…@');

/** Declares tests that cannot run here: they are counted as skipped, and the report says why. */
export const skipFor = (reason: string, tests: () => void): void => {
  describe(`SKIPPED, for ${reason}`, () => {
    before(function () {
      this.skip();
    });
    tests();
  });
};

/**
 * Declares a suite on the engine that the variable names. Where it names none, the suite's tests are counted as
 * skipped, and the report says which variable would bring them in. An engine that is named and does not answer fails
 * them.
 */
export const onRealEngine = (variable: EngineVariable, suite: (address: string) => void): void => {
  const address = process.env[variable];
  if (address) {
    describe(`on ${shown(address)}`, () => suite(address));
    return;
  }
  skipFor(`${variable} names no engine`, () => suite(''));
};
