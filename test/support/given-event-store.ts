import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { START, type EventStore } from '#ports/event-store.ts';

/** What takes a server away, or the node of a cluster that leads, and what gives it back. */
export const remedies = {
  kill: 'start',
  freeze: 'thaw',
  'kill-leader': 'start-leader',
  'freeze-leader': 'thaw-leader',
} as const;
export type Blow = keyof typeof remedies;
export type Strike = Blow | (typeof remedies)[Blow];

const known: ReadonlySet<string> = new Set(Object.entries(remedies).flat());
const isStrike = (name: string): name is Strike => known.has(name);

/** A server of somebody else's that suites may empty and strike, by shell commands. */
export interface GivenEventStore {
  readonly address: string;
  /** Returns once nothing is left in the log. */
  readonly reset: string;
  readonly strikes: ReadonlyMap<Strike, string>;
}

/** `name=command;;name=command` */
const readStrikes = (text: string): ReadonlyMap<Strike, string> => {
  const strikes = new Map<Strike, string>();
  for (const part of text.split(';;')) {
    const [, name = '', command] = /^\s*([^=\s]*)\s*=\s*(.*\S)\s*$/s.exec(part) ?? [];
    if (!isStrike(name) || command === undefined || strikes.has(name))
      throw new Error(
        `TEST_EVENT_STORE_STRIKES reads name=command;;name=command, each name once, of ${[...known].join(', ')}: not "${part}"`,
      );
    strikes.set(name, command);
  }
  for (const [blow, remedy] of Object.entries(remedies) as [Blow, Strike][])
    if (strikes.has(blow) !== strikes.has(remedy))
      throw new Error(`TEST_EVENT_STORE_STRIKES names ${blow} and ${remedy} together or neither`);
  return strikes;
};

/** Null where the suites have a double each: without a command that empties it, a server can have one shop only. */
export const givenEventStore = (env: NodeJS.ProcessEnv = process.env): GivenEventStore | null => {
  const { TEST_EVENT_STORE: address, TEST_EVENT_STORE_RESET: reset, TEST_EVENT_STORE_STRIKES: strikes } = env;
  if (reset && !address)
    throw new Error('TEST_EVENT_STORE_RESET empties the server that TEST_EVENT_STORE names: it names none');
  if (strikes && !reset)
    throw new Error(
      'TEST_EVENT_STORE_STRIKES needs TEST_EVENT_STORE_RESET: suites strike what they may empty',
    );
  if (!reset || !address) return null;
  return { address, reset, strikes: strikes ? readStrikes(strikes) : new Map<Strike, string>() };
};

const LONGEST_COMMAND_MILLISECONDS = 120_000;

/** Errors: with what the command printed. It prints to a file, for what it starts may go on and hold a pipe. */
const run = async (what: string, command: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-command-'));
  const path = join(folder, 'output');
  const output = openSync(path, 'a');
  try {
    const child = spawn('sh', ['-c', command], {
      stdio: ['ignore', output, output],
      timeout: LONGEST_COMMAND_MILLISECONDS,
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code === 0) return;
    const how = signal ?? `exit code ${code}`;
    throw new Error(`${what} failed (${how}): ${command}\n${readFileSync(path, 'utf8')}`);
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
};

const BACK_WITHIN_MILLISECONDS = 90_000;

/** Asks until the server, which may have to start or to elect a leader, answers. */
const onceItServes = async <Answer>(
  address: string,
  ask: (store: EventStore) => Promise<Answer>,
): Promise<Answer> => {
  const begun = performance.now();
  for (;;) {
    const store = await openEventStoreDb({ address });
    try {
      return await ask(store);
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      if (performance.now() - begun > BACK_WITHIN_MILLISECONDS) throw error;
    } finally {
      await store.close();
    }
    await pause(100);
  }
};

/** The server for one shop, from an empty log to the next one's reset. */
export class GivenEventStoreForAShop {
  readonly #given: GivenEventStore;
  readonly #standing = new Set<Blow>();

  private constructor(given: GivenEventStore) {
    this.#given = given;
  }

  /** Errors: the command failed, or left events. */
  static async open(given: GivenEventStore): Promise<GivenEventStoreForAShop> {
    const { address, reset } = given;
    await run('TEST_EVENT_STORE_RESET', reset);
    const left = await onceItServes(address, (store) => store.readAll(START, 1));
    if (left.length > 0) throw new Error(`TEST_EVENT_STORE_RESET left events in the log: ${reset}`);
    return new GivenEventStoreForAShop(given);
  }

  get address(): string {
    return this.#given.address;
  }

  async strike(blow: Blow): Promise<void> {
    this.#standing.add(blow);
    await this.#run(blow);
  }

  /** Resolves once the server answers. */
  async mend(blow: Blow): Promise<void> {
    await this.#run(remedies[blow]);
    this.#standing.delete(blow);
    await onceItServes(this.address, (store) => store.ping());
  }

  /** Gives back what a test that failed has left struck: the next shop's reset needs it. */
  async close(): Promise<void> {
    for (const blow of [...this.#standing]) await this.mend(blow);
  }

  async #run(name: Strike): Promise<void> {
    const command = this.#given.strikes.get(name);
    if (command === undefined) throw new Error(`TEST_EVENT_STORE_STRIKES names no ${name}`);
    await run(`The strike "${name}"`, command);
  }
}
