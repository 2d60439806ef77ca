import { expect } from 'chai';
import { runSteps } from '#command/engine/run-process.ts';
import type { Ask, Process, Refusal } from '#kernel/process.ts';

/**
 * By the name of a call or the type of a command, what comes of it: a result, an error that it is refused with, or a
 * function from what is asked to either. What is not named is done without a result.
 */
type Results = Readonly<Record<string, unknown>>;

/** A call or a command, and what is to be found in it: `['CreateInvoice', { 'command.invoiceNumber': 'INV-0007' }]`. */
type AskLike = string | readonly [name: string, fields: Readonly<Record<string, unknown>>];

interface Run {
  readonly asks: readonly Ask[];
  readonly refusal: Refusal | null;
  readonly error: unknown;
}

interface Ran extends Omit<Run, 'error'> {
  /** Those of this name, in their order. */
  named(name: string): readonly Ask[];
}

export interface GivenProcess {
  /** The same where these results come instead. */
  when(results: Results): GivenProcess;
  /** Exactly these steps, in this order; the process ends, well or after a refusal. */
  thenAsks(...expected: readonly AskLike[]): Promise<Ran>;
  /** The last steps. */
  thenEndsWith(...expected: readonly AskLike[]): Promise<Ran>;
  /** The steps are taken back, or there were none, and the caller hears this. */
  thenRefused(code: string, fields?: Readonly<Record<string, unknown>>): Promise<Ran>;
  /** Nothing is taken back after these steps: the instance stays open, and the caller hears of this error. */
  thenStops(error: object, ...asks: readonly AskLike[]): Promise<void>;
  /** For assertions on a part of what it asks. */
  run(): Promise<Ran>;
}

export const nameOf = (ask: Ask): string => ('call' in ask ? ask.call : ask.command.type);

/**
 * givenProcess(placeOrder, opening, results).when({ ReserveStock: soldOut }).thenAsks('ReserveStock', 'FailPlacement').
 * On the way it checks what holds for every process: what it is opened with stays as it is, and it asks the same again
 * when the same happens, as it is resumed from the first step.
 */
export const givenProcess = <Opening, Memory>(
  process: Process<Opening, Memory>,
  opening: Opening,
  results: Results = {},
): GivenProcess => {
  const run = async (): Promise<Run> => {
    const first = await runOnce(process, opening, results);
    expect((await runOnce(process, opening, results)).asks, 'resumed').to.deep.equal(first.asks);
    return first;
  };
  const ended = async (): Promise<Ran> => {
    const { asks, refusal, error } = await run();
    if (error !== null) throw error;
    return { asks, refusal, named: (name) => asks.filter((ask) => nameOf(ask) === name) };
  };
  return {
    when: (others) => givenProcess(process, opening, { ...results, ...others }),
    run: ended,
    thenAsks: async (...expected) => {
      const ran = await ended();
      expectAsks(ran.asks, expected);
      return ran;
    },
    thenEndsWith: async (...expected) => {
      const ran = await ended();
      expectAsks(ran.asks.slice(-expected.length), expected);
      return ran;
    },
    thenRefused: async (code, fields = {}) => {
      const ran = await ended();
      expect(ran.refusal).to.deep.include({ code, ...fields });
      return ran;
    },
    thenStops: async (stopped, ...expected) => {
      const { asks, error } = await run();
      expect(error).to.include(stopped);
      expectAsks(asks, expected);
    },
  };
};

const runOnce = async <Opening, Memory>(
  process: Process<Opening, Memory>,
  opening: Opening,
  results: Results,
): Promise<Run> => {
  const asks: Ask[] = [];
  const before = structuredClone(opening);
  const perform = async (ask: Ask): Promise<unknown> => {
    asks.push(ask);
    const result = results[nameOf(ask)] ?? {};
    const found: unknown = typeof result === 'function' ? (result as (ask: Ask) => unknown)(ask) : result;
    if (found instanceof Error) throw found;
    return found;
  };
  try {
    const { refusal } = await runSteps(process, opening, perform);
    return { asks, refusal, error: null };
  } catch (error) {
    return { asks, refusal: null, error };
  } finally {
    expect(opening, 'what it was opened with').to.deep.equal(before);
  }
};

const expectAsks = (asks: readonly Ask[], expected: readonly AskLike[]): void => {
  const wanted = expected.map((one) => (typeof one === 'string' ? ([one, {}] as const) : one));
  expect(asks.map(nameOf)).to.deep.equal(wanted.map(([name]) => name));
  wanted.forEach(([name, fields], index) => {
    expect(asks[index], name).to.deep.nested.include(fields);
  });
};
