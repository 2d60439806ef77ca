// The spec report, and as its last line the counts in one plain line that any CI can read.
const { reporters, Runner } = require('mocha');

module.exports = class ClosingLine extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      this.printSummary();
      const { passes, failures, pending } = runner.stats ?? this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed, ${pending} skipped\n`);
    });
  }

  /** What a report says between the failures and the last line. */
  printSummary() {}
};
