import type { Ask, Process, ProcessStep, Refusal } from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CommandMeta } from './command-engine.ts';
import { stepMeta } from './command-meta.ts';
import { alone, type AloneOptions, type IsHeld, type RunAlone } from './run-alone.ts';
import type { AnyKind, Streams } from './streams.ts';

/** How the steps ended: after a refusal, or with the result of the last ask. */
export interface Ended {
  readonly refusal: Refusal | null;
  readonly result: unknown;
}

/** A run of an instance: what it was opened with, how it ended, and the position of the log that it reached. */
export interface Run<Opening> extends Ended {
  readonly opening: Opening;
  readonly position: number;
}

type TakenOver = Process<never, never>['takenOver'];

/**
 * The business's no. A conflict that outlived its deadline is none: the instance stays open, and its steps are sent
 * again. Nor is it one that another driver has come first.
 */
const isRefusal = (error: unknown, takenOver: TakenOver): error is Rejection =>
  error instanceof Rejection && error.code !== 'conflict' && error.code !== takenOver?.().code;

type Perform = (ask: Ask) => Promise<unknown>;

interface Answers {
  readonly results: readonly unknown[];
  /** The first, in the order of the asks. */
  readonly refused: { readonly rejection: Rejection; readonly ask: Ask } | null;
}

/** All together. When one fails for want of an engine the others are waited for all the same. */
const ask = async (asks: readonly Ask[], perform: Perform, takenOver: TakenOver): Promise<Answers> => {
  const outcomes = await Promise.allSettled(asks.map(perform));
  let refused: Answers['refused'] = null;
  const results: unknown[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') results.push(outcome.value);
    else if (!isRefusal(outcome.reason, takenOver)) throw outcome.reason;
    else refused ??= { rejection: outcome.reason, ask: asks[index] as Ask };
  }
  return { results, refused };
};

const explained = <Opening, Memory>(
  { explains }: ProcessStep<Opening, Memory>,
  { rejection, ask: asked }: NonNullable<Answers['refused']>,
  opening: Opening,
): Refusal => {
  const { code, message, details } = rejection;
  const refusal = { code, message, details };
  return explains?.(refusal, asked, opening) ?? refusal;
};

/**
 * Sends the steps of a process, one after another, from the first one: what an earlier run has done is answered as it
 * was then. Errors: what `perform` throws and is no refusal, which leaves the instance open; the refusal itself of a
 * process that does not end by one.
 */
export const runSteps = async <Opening, Memory>(
  process: Process<Opening, Memory>,
  opening: Opening,
  perform: Perform,
): Promise<Ended> => {
  const { steps, completes, fails, takenOver } = process;
  let memory = process.begins(opening);
  let last: unknown;
  for (const [index, step] of steps.entries()) {
    const asks = step.asks(opening, memory);
    if (asks.length === 0) continue;
    const { results, refused } = await ask(asks, perform, takenOver);
    if (!refused || step.isTidyingUp) {
      last = results.at(-1) ?? last;
      if (!refused) memory = step.learns?.(memory, results) ?? memory;
      continue;
    }
    if (!fails) throw refused.rejection;
    const hasUndone = steps.slice(0, index + 1).some(({ undo }) => undo !== undefined);
    const refusal = explained(step, refused, opening);
    if (hasUndone) {
      const undoing = steps.flatMap(({ undo }) => undo?.(opening, memory) ?? []);
      await ask(undoing, perform, takenOver);
    }
    return { refusal, result: await perform(fails(opening, refusal, hasUndone)) };
  }
  return { refusal: null, result: completes ? await perform(completes(opening, memory)) : last };
};

/** What a process may call outside the log, by name. */
export type Calls = Readonly<Record<string, (input: never, meta: CommandMeta) => Promise<unknown>>>;

export interface ProcessOptions<Opening, Memory> {
  readonly process: Process<Opening, Memory>;
  readonly calls?: Calls;
  readonly streams: Streams;
  readonly runAlone?: RunAlone;
}

/** The instances of a process, each by a name that no other one has, nor a later one on the same stream. */
export interface ProcessInstances<Opening> {
  /**
   * Drives an instance to its end, or to where it waits for the outside, whatever of it has been done before. `open`
   * finds out with what it was opened; null when it is not open any more. A second caller in this process shares the
   * run. Null when there is nothing to drive, or when another process is at it.
   * Errors: `EngineUnavailable`, conflicts and being taken over, which leave it open.
   */
  run(
    id: string,
    cause: CommandMeta,
    open: (meta: CommandMeta) => Promise<Opening | null>,
    options?: AloneOptions,
  ): Promise<Run<Opening> | null>;
  /** The run that is under way in this process. */
  running(id: string): Promise<unknown> | undefined;
  /** Waits for everything that is running, for a graceful shutdown. */
  drain(): Promise<void>;
}

const positionOf = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'position' in result ? Number(result.position) : 0;

export const createInstances = <Opening, Memory>(
  options: ProcessOptions<Opening, Memory>,
): ProcessInstances<Opening> => {
  const { process, runAlone = alone } = options;
  const running = new Map<string, Promise<Run<Opening> | null>>();
  return {
    run: (id, cause, open, how) => {
      const existing = running.get(id);
      if (existing) return existing;
      const meta = stepMeta(cause);
      const work = async (isHeld: IsHeld): Promise<Run<Opening> | null> => {
        const opening = await open(meta);
        return opening === null ? null : drive(options, opening, meta, isHeld);
      };
      const started = runAlone(`${process.name} ${id}`, work, how).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    running: (id) => running.get(id),
    drain: async () => {
      await Promise.allSettled(running.values());
    },
  };
};

const drive = async <Opening, Memory>(
  { process, calls = {}, streams }: ProcessOptions<Opening, Memory>,
  opening: Opening,
  meta: CommandMeta,
  isHeld: IsHeld,
): Promise<Run<Opening>> => {
  const { takenOver } = process;
  let position = 0;
  const carryOut = (asked: Ask): Promise<unknown> => {
    if ('call' in asked) {
      const call = calls[asked.call];
      if (!call) throw new TypeError(`${process.name} calls ${asked.call}, which nobody answers`);
      return call(asked.input as never, meta);
    }
    const { kind, id, command, commandId } = asked;
    const ownMeta = commandId === undefined ? meta : { ...meta, commandId };
    return streams.send(kind as unknown as AnyKind, id, command, ownMeta, { isProcessStep: true });
  };
  const ended = await runSteps(process, opening, async (asked) => {
    // After a long stall another process may have taken the instance over.
    if (takenOver && !isHeld()) throw takenOver();
    const result = await carryOut(asked);
    position = Math.max(position, positionOf(result));
    return result;
  });
  return { ...ended, opening, position };
};
