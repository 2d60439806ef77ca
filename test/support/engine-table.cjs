// The usual report, and before its last line what ran where: a row for each suite, a column for each engine.
const { basename } = require('node:path');
const { Runner } = require('mocha');
const ClosingLine = require('./closing-line.cjs');

/** What a test file's first word stands for: its engine on a server that the variable names, or one that needs none. */
const engines = {
  memory: { own: 'memory' },
  sqlite: { own: 'SQLite' },
  eventstoredb: { own: "EventStoreDB's double", server: 'EventStoreDB', variable: 'TEST_EVENT_STORE' },
  mongodb: { server: 'MongoDB protocol', variable: 'TEST_READ_STORE' },
  kafka: { server: 'Kafka', variable: 'TEST_BUS' },
};
/** Journeys need no file for each engine: the three services run on servers, or on what needs none. */
const together = 'servers together';
const columns = [...Object.values(engines).flatMap(({ own, server }) => [own, server]), together].filter(
  Boolean,
);

const placeOf = (test) => {
  const words = basename(test.file ?? '', '.test.ts').split('-');
  const engine = engines[words[0]];
  const isOnServer = test.titlePath().some((title) => /^on |^SKIPPED, for /.test(title));
  if (!engine) return { suite: words.join(' '), column: isOnServer ? together : engines.memory.own };
  return {
    suite: words.slice(1).join(' '),
    column: (isOnServer && engine.server) || engine.own || engine.server,
  };
};

const cellOf = (counts) => {
  if (!counts) return '-';
  return ['passed', 'failed', 'skipped']
    .filter((outcome) => counts[outcome])
    .map((outcome) => `${counts[outcome]} ${outcome}`)
    .join(', ');
};

const print = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const line = row.map((cell, column) => cell.padEnd(widths[column])).join('   ');
    process.stdout.write(`  ${line.trimEnd()}\n`);
  }
};

/** Where the shops of those suites have their log. */
const log = process.env.TEST_EVENT_STORE_RESET ? 'EventStoreDB' : "EventStoreDB's double";
const isAlone = process.env.TEST_EVENT_STORE_RESET && !process.env.TEST_READ_STORE && !process.env.TEST_BUS;
const whereShopsAre = isAlone
  ? `${log} for the log, the other engines embedded`
  : `MongoDB protocol and Kafka, and ${log} for the log`;

const addressOf = (variable) =>
  process.env[variable]?.replace(/\/\/[^@/]*@/, '//…@') || 'no server is named, its suites were skipped';

module.exports = class EngineTable extends ClosingLine {
  #suites = new Map();

  constructor(runner, options) {
    super(runner, options);
    const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING } = Runner.constants;
    runner.on(EVENT_TEST_PASS, (test) => this.#count(test, 'passed'));
    runner.on(EVENT_TEST_FAIL, (test) => this.#count(test, 'failed'));
    runner.on(EVENT_TEST_PENDING, (test) => this.#count(test, 'skipped'));
  }

  #count(test, outcome) {
    const { suite, column } = placeOf(test);
    const cells = this.#suites.get(suite) ?? {};
    this.#suites.set(suite, cells);
    const counts = (cells[column] ??= {});
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }

  printSummary() {
    const suites = [...this.#suites];
    const used = columns.filter((column) => suites.some(([, cells]) => cells[column]));
    print([
      ['suite', ...used],
      ...suites.map(([suite, cells]) => [suite, ...used.map((column) => cellOf(cells[column]))]),
    ]);
    process.stdout.write('\n');
    for (const { server, variable } of Object.values(engines))
      if (variable) process.stdout.write(`  ${server}: ${addressOf(variable)}\n`);
    if (used.includes(together)) process.stdout.write(`  ${together}: ${whereShopsAre}\n`);
    process.stdout.write('\n');
  }
};
