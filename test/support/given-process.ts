import { expect } from 'chai';
import { runSteps } from '#command/engine/run-process.ts';
import type { ProcessCommand, Process, Refusal } from '#kernel/process.ts';

/**
 * By the name of a call or the type of a command: its result, the error that refuses it, or a function from the command
 * to either. A command that is not named succeeds with `{}`.
 */
type Results = Readonly<Record<string, unknown>>;

/** A call or a command, and some of its fields: `['CreateInvoice', { 'command.invoiceNumber': 'INV-0007' }]`. */
type CommandLike = string | readonly [name: string, fields: Readonly<Record<string, unknown>>];

interface Run {
  readonly sent: readonly ProcessCommand[];
  readonly refusal: Refusal | null;
  /** Of the last command. */
  readonly result: unknown;
  readonly error: unknown;
}

interface Ran extends Omit<Run, 'error'> {
  /** Those of this name, in their order. */
  named(name: string): readonly ProcessCommand[];
}

export interface GivenProcess {
  /** The same process with these results instead. */
  when(results: Results): GivenProcess;
  /** Exactly these commands, in this order; the process completes or fails. */
  thenSends(...expected: readonly CommandLike[]): Promise<Ran>;
  /** The last commands. */
  thenEndsWith(...expected: readonly CommandLike[]): Promise<Ran>;
  /** The process fails with this refusal. */
  thenRefused(code: string, fields?: Readonly<Record<string, unknown>>): Promise<Ran>;
  /** The process stops after these commands, undoes nothing and stays open; the error has these fields. */
  thenStops(error: object, ...sent: readonly CommandLike[]): Promise<void>;
  /** For other assertions. */
  run(): Promise<Ran>;
}

export const nameOf = (command: ProcessCommand): string =>
  'call' in command ? command.call : command.command.type;

/**
 * givenProcess(placeOrder, start, results).when({ ReserveStock: soldOut }).thenSends('ReserveStock', 'FailPlacement').
 * It also checks what holds for every process: the start is never changed, and a second run with the same results sends
 * the same commands, because a resumed process begins with its first step again.
 */
export const givenProcess = <Start, Memory>(
  process: Process<Start, Memory>,
  start: Start,
  results: Results = {},
): GivenProcess => {
  const run = async (): Promise<Run> => {
    const first = await runOnce(process, start, results);
    expect((await runOnce(process, start, results)).sent, 'a second run').to.deep.equal(first.sent);
    return first;
  };
  const ended = async (): Promise<Ran> => {
    const { error, ...ran } = await run();
    if (error !== null) throw error;
    const { sent } = ran;
    return { ...ran, named: (name) => sent.filter((command) => nameOf(command) === name) };
  };
  return {
    when: (others) => givenProcess(process, start, { ...results, ...others }),
    run: ended,
    thenSends: async (...expected) => {
      const ran = await ended();
      expectSent(ran.sent, expected);
      return ran;
    },
    thenEndsWith: async (...expected) => {
      const ran = await ended();
      expectSent(ran.sent.slice(-expected.length), expected);
      return ran;
    },
    thenRefused: async (code, fields = {}) => {
      const ran = await ended();
      expect(ran.refusal).to.deep.include({ code, ...fields });
      return ran;
    },
    thenStops: async (stopped, ...expected) => {
      const { sent, error } = await run();
      expect(error).to.include(stopped);
      expectSent(sent, expected);
    },
  };
};

const runOnce = async <Start, Memory>(
  process: Process<Start, Memory>,
  start: Start,
  results: Results,
): Promise<Run> => {
  const sent: ProcessCommand[] = [];
  const before = structuredClone(start);
  const perform = async (command: ProcessCommand): Promise<unknown> => {
    sent.push(command);
    const result = results[nameOf(command)] ?? {};
    const found: unknown =
      typeof result === 'function' ? (result as (command: ProcessCommand) => unknown)(command) : result;
    if (found instanceof Error) throw found;
    return found;
  };
  try {
    return { sent, ...(await runSteps(process, start, perform)), error: null };
  } catch (error) {
    return { sent, refusal: null, result: undefined, error };
  } finally {
    expect(start, 'the start is unchanged').to.deep.equal(before);
  }
};

const expectSent = (sent: readonly ProcessCommand[], expected: readonly CommandLike[]): void => {
  const wanted = expected.map((one) => (typeof one === 'string' ? ([one, {}] as const) : one));
  expect(sent.map(nameOf)).to.deep.equal(wanted.map(([name]) => name));
  wanted.forEach(([name, fields], index) => {
    expect(sent[index], name).to.deep.nested.include(fields);
  });
};
