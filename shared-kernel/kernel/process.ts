/**
 * A process finishes what spans several streams: a decider whose inputs are events and step results and whose outputs
 * are commands and calls to the outside. Pure. The runner sends the outputs of one reaction together, waits for all of
 * them and feeds each result back. After a crash it starts again from the input that opened the instance: every step is
 * idempotent by its business key and gives the same result again.
 */
export interface Process<State, Input, Output> {
  readonly name: string;
  readonly initial: () => State;
  /** What to do next, and what to remember of the input. An empty list while steps are under way means: wait. */
  readonly react: (
    state: State,
    input: Input,
  ) => { readonly state: State; readonly outputs: readonly Output[] };
}
