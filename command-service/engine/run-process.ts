import type {
  InputOf,
  Process,
  ProcessCommand,
  ProcessStep,
  Refusal,
  RememberedCommand,
  ResultOf,
} from '#kernel/process.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CommandMeta } from './command-engine.ts';
import { stepMeta } from './command-meta.ts';
import { alone, type AloneOptions, type IsHeld, type RunAlone } from './run-alone.ts';
import type { AnyShopStream, Streams } from './streams.ts';

/** How the steps ended: after a refusal, or with the result of the last command. */
export interface Ended {
  readonly refusal: Refusal | null;
  readonly result: unknown;
}

/** A run of an instance: what it was opened with, how it ended, and the position of the log that it reached. */
export interface Run<Start> extends Ended {
  readonly start: Start;
  readonly position: number;
}

type TakenOver = Process<never, never>['takenOver'];

/**
 * A refusal by the business. A conflict that outlived its deadline is not one: the instance stays open, and its steps
 * are sent again. Nor is being overtaken by another driver.
 */
const isRefusal = (error: unknown, takenOver: TakenOver): error is Rejection =>
  error instanceof Rejection && error.code !== 'conflict' && error.code !== takenOver?.().code;

type Perform = (command: ProcessCommand) => Promise<unknown>;

interface Outcomes {
  readonly results: readonly unknown[];
  /** The first, in the order of the commands. */
  readonly refused: { readonly rejection: Rejection; readonly command: ProcessCommand } | null;
}

/** All together. When one fails for want of an engine the others are waited for all the same. */
const performAll = async (
  commands: readonly ProcessCommand[],
  perform: Perform,
  takenOver: TakenOver,
): Promise<Outcomes> => {
  const outcomes = await Promise.allSettled(commands.map(perform));
  let refused: Outcomes['refused'] = null;
  const results: unknown[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') results.push(outcome.value);
    else if (!isRefusal(outcome.reason, takenOver)) throw outcome.reason;
    else refused ??= { rejection: outcome.reason, command: commands[index] as ProcessCommand };
  }
  return { results, refused };
};

const commandOf = <Memory>(one: ProcessCommand | RememberedCommand<Memory>): ProcessCommand =>
  'sends' in one ? one.sends : one;

/** What the memory has come to by the results, in the order of the commands. */
const remembered = <Memory>(
  before: Memory,
  sent: readonly (ProcessCommand | RememberedCommand<Memory>)[],
  results: readonly unknown[],
): Memory =>
  sent.reduce(
    (memory, one, index) => ('sends' in one ? one.remembers(memory, results[index] as never) : memory),
    before,
  );

const explained = <Start, Memory>(
  { explains }: ProcessStep<Start, Memory>,
  { rejection, command }: NonNullable<Outcomes['refused']>,
  start: Start,
): Refusal => {
  const { code, message, details } = rejection;
  const refusal = { code, message, details };
  return explains?.(refusal, command, start) ?? refusal;
};

/**
 * Sends the steps of a process, one after another, from the first one: what an earlier run has done is answered as it
 * was then. `whenAnswered` is told of the end while a command that completes afterwards is on its way. Errors: what
 * `perform` throws and is no refusal, which leaves the instance open; the refusal itself of a process that does not end
 * by one.
 */
export const runSteps = async <Start, Memory>(
  process: Process<Start, Memory>,
  start: Start,
  perform: Perform,
  whenAnswered: (ended: Ended) => void = () => undefined,
): Promise<Ended> => {
  const { steps, completes, completesAfterwards, fails, takenOver } = process;
  let memory = process.begins(start);
  let last: unknown;
  for (const [index, step] of steps.entries()) {
    const sent = step.commands(start, memory);
    if (sent.length === 0) continue;
    const { results, refused } = await performAll(sent.map(commandOf), perform, takenOver);
    if (!refused || step.isTidyingUp) {
      last = results.at(-1) ?? last;
      if (!refused) memory = remembered(memory, sent, results);
      continue;
    }
    if (!fails) throw refused.rejection;
    const hasCompensated = steps.slice(0, index + 1).some(({ compensate }) => compensate !== undefined);
    const refusal = explained(step, refused, start);
    if (hasCompensated) {
      const compensating = steps.flatMap(({ compensate }) => compensate?.(start, memory) ?? []);
      await performAll(compensating, perform, takenOver);
    }
    return { refusal, result: await perform(fails(start, refusal, hasCompensated)) };
  }
  if (!completes) return { refusal: null, result: last };
  // Handed in before the caller goes on: what they send next to its stream comes after it.
  const completing = perform(completes(start, memory));
  if (completesAfterwards?.(start)) whenAnswered({ refusal: null, result: last });
  return { refusal: null, result: await completing };
};

/** What carries out the calls of a process. */
export type Performs<Of> = {
  readonly [Name in keyof Of]: (input: InputOf<Of[Name]>, meta: CommandMeta) => Promise<ResultOf<Of[Name]>>;
};

/** What a process may call outside the log, by name. */
export type Calls = Readonly<Record<string, (input: never, meta: CommandMeta) => Promise<unknown>>>;

export interface ProcessOptions<Start, Memory> {
  readonly process: Process<Start, Memory>;
  readonly calls?: Calls;
  readonly streams: Streams;
  readonly runAlone?: RunAlone;
}

/** The instances of a process, each by a name that no other one has, nor a later one on the same stream. */
export interface ProcessInstances<Start> {
  /**
   * Drives an instance to its end, or to where it waits for the outside, whatever was done before; a caller does not
   * wait for what completes it afterwards. `open` returns its start, or null when it is not open any more. A second
   * caller in this process shares the run. Null when there is nothing to drive, or when another process drives it.
   * Errors: `EngineUnavailable`, conflicts and being taken over, which leave it open.
   */
  run(
    id: string,
    cause: CommandMeta,
    open: (meta: CommandMeta) => Promise<Start | null>,
    options?: AloneOptions,
  ): Promise<Run<Start> | null>;
  /** The run that is under way in this process, to its very end. */
  running(id: string): Promise<unknown> | undefined;
  /** Waits for everything that is running, for a graceful shutdown. */
  drain(): Promise<void>;
}

/** The last event that a step appended, or its first run did: what led to the next step. */
const lastEventOf = (result: unknown): string | undefined =>
  typeof result === 'object' && result !== null && 'events' in result
    ? (result as { readonly events: readonly { readonly id: string }[] }).events.at(-1)?.id
    : undefined;

const positionOf = (result: unknown): number =>
  typeof result === 'object' && result !== null && 'position' in result ? Number(result.position) : 0;

export const createInstances = <Start, Memory>(
  options: ProcessOptions<Start, Memory>,
): ProcessInstances<Start> => {
  const { process, runAlone = alone } = options;
  type Outcome = Run<Start> | null;
  const running = new Map<
    string,
    { readonly answered: Promise<Outcome>; readonly ended: Promise<Outcome> }
  >();
  return {
    run: (id, cause, open, how) => {
      const existing = running.get(id);
      if (existing) return existing.answered;
      const meta = stepMeta(cause);
      const { promise: answered, resolve, reject } = Promise.withResolvers<Outcome>();
      const work = async (isHeld: IsHeld): Promise<Outcome> => {
        const start = await open(meta);
        return start === null ? null : drive(options, start, meta, isHeld, resolve);
      };
      const ended = runAlone(`${process.name} ${id}`, work, how).finally(() => running.delete(id));
      running.set(id, { answered, ended });
      ended.then(resolve, reject);
      return answered;
    },
    running: (id) => running.get(id)?.ended,
    drain: async () => {
      await Promise.allSettled([...running.values()].map(({ ended }) => ended));
    },
  };
};

const drive = async <Start, Memory>(
  { process, calls = {}, streams }: ProcessOptions<Start, Memory>,
  start: Start,
  meta: CommandMeta,
  isHeld: IsHeld,
  whenAnswered: (run: Run<Start>) => void,
): Promise<Run<Start>> => {
  const { takenOver } = process;
  let position = 0;
  let { causationId } = meta;
  const carryOut = (asked: ProcessCommand): Promise<unknown> => {
    const cause = { ...meta, causationId };
    if ('call' in asked) {
      const call = calls[asked.call];
      if (!call) throw new TypeError(`${process.name} calls ${asked.call}, which has no handler`);
      return call(asked.input as never, cause);
    }
    const { definition, id, command, commandId } = asked;
    const ownMeta = commandId === undefined ? cause : { ...cause, commandId };
    return streams.send(definition as unknown as AnyShopStream, id, command, ownMeta, {
      isProcessStep: true,
    });
  };
  const perform = async (asked: ProcessCommand): Promise<unknown> => {
    // After a long stall another process may have taken the instance over.
    if (takenOver && !isHeld()) throw takenOver();
    const result = await carryOut(asked);
    position = Math.max(position, positionOf(result));
    causationId = lastEventOf(result) ?? causationId;
    return result;
  };
  const ended = await runSteps(process, start, perform, (answer) =>
    whenAnswered({ ...answer, start, position }),
  );
  return { ...ended, start, position };
};
