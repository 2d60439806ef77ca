import type { Process } from '#kernel/process.ts';
import { alone, type IsHeld, type RunAlone } from './run-alone.ts';

/**
 * Runs a process from the input that opens it until it waits for the outside: the outputs of one reaction go out
 * together, and each result is fed back. When a step fails for want of an engine the others are waited for and the
 * instance stays open for the runner.
 */
export const drive = async <State, Input, Output>(
  process: Process<State, Input, Output>,
  opening: Input,
  perform: (output: Output) => Promise<Input>,
): Promise<State> => {
  let state = process.initial();
  const feed = async (input: Input): Promise<void> => {
    const reaction = process.react(state, input);
    state = reaction.state;
    if (reaction.outputs.length === 0) return;
    const results = await Promise.allSettled(
      reaction.outputs.map(async (output) => feed(await perform(output))),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
  await feed(opening);
  return state;
};

/**
 * One run of an instance at a time: a second caller in this process shares the first one's run, one elsewhere gets
 * null.
 */
export const createInstances = <Result>(process: string, runAlone: RunAlone = alone) => {
  const running = new Map<string, Promise<Result | null>>();
  return {
    run: (id: string, start: (isHeld: IsHeld) => Promise<Result>): Promise<Result | null> => {
      const existing = running.get(id);
      if (existing) return existing;
      const started = runAlone(`${process} ${id}`, start).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    get: (id: string): Promise<Result | null> | undefined => running.get(id),
    /** Waits for everything that is running, for a graceful shutdown. */
    drain: async (): Promise<void> => {
      await Promise.allSettled(running.values());
    },
  };
};
