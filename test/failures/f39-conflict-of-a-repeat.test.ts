import { expect } from 'chai';
import type { RunningCommandEngine } from '#command/engine/handle-command.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import type { FaultyEventStore } from '#test/support/faults.ts';
import { anyMeta, startTestEngine, type TestEngine } from '#test/support/engine.ts';
import { counter } from '../unit/engine/counter.ts';

interface Scene {
  readonly store: FaultyEventStore;
  /** Another process appends to the stream. */
  readonly others: () => Promise<unknown>;
}

/** What the next append meets. It strikes once, and arms what comes after it with `next`. */
type Step = (scene: Scene, next: () => void) => void;

const any = (): boolean => true;
const unavailable = (): never => {
  throw new EngineUnavailable('the log is away');
};
const takenWithoutAWord: Step = ({ store }, next) =>
  store.runAfter('append', any, () => {
    next();
    unavailable();
  });
const notTaken: Step = ({ store }, next) =>
  store.runBefore('append', any, () => {
    next();
    unavailable();
  });
const conflict: Step = ({ store }, next) =>
  store.runBefore('append', any, () => {
    next();
    throw new WrongExpectedRevision('the stream', 0);
  });
const conflictAndNoRead: Step = ({ store, others }, next) => {
  conflict({ store, others }, next);
  // Not that of the state, which has no limit, but of what is where the events belong.
  store.runBefore('readStream', (_, options) => options?.limit === 1, unavailable);
};
const anotherTook: Step = ({ store, others }, next) =>
  store.runBefore('append', any, async () => {
    await others();
    next();
    unavailable();
  });

const arm = (scene: Scene, [first, ...rest]: readonly Step[]): void => first?.(scene, () => arm(scene, rest));

/** First the fate of the first try, then what its repeats meet. Another shopper's event counts as one more piece. */
const stories: Readonly<Record<string, { readonly steps: readonly Step[]; readonly pieces: number }>> = {
  'taken, and the repeat conflicts': { steps: [takenWithoutAWord, conflict], pieces: 1 },
  'taken, and the repeat succeeds': { steps: [takenWithoutAWord], pieces: 1 },
  'taken, then silence, then a conflict': { steps: [takenWithoutAWord, notTaken, conflict], pieces: 1 },
  'taken, the repeat conflicts, and what is there cannot be read at once': {
    steps: [takenWithoutAWord, conflictAndNoRead],
    pieces: 1,
  },
  'taken, then the event of another after it': {
    steps: [takenWithoutAWord, anotherTook, conflict],
    pieces: 2,
  },
  'not taken, and the repeat succeeds': { steps: [notTaken], pieces: 1 },
  'not taken, and the event of another comes first': { steps: [anotherTook, conflict], pieces: 2 },
  'not taken, and a node that is behind tells the repeat of a conflict': {
    steps: [notTaken, conflict],
    pieces: 1,
  },
  'not taken, behind twice, then silence': { steps: [notTaken, conflict, conflict, notTaken], pieces: 1 },
};

describe('F39: a repeat after an unknown outcome is told of a conflict', () => {
  const id = newId();
  let started: TestEngine;
  let other: RunningCommandEngine;
  const take = (engine: RunningCommandEngine) =>
    engine.execute({
      decider: counter,
      id,
      command: { type: 'Take', pieces: 1 },
      context: () => Infinity,
      meta: anyMeta(),
    });
  const pieces = async (): Promise<number> => (await started.another().load(counter, id)).state.taken;

  for (const before of [0, 1]) {
    const where = before === 0 ? 'of a new stream' : 'to a stream that is there';
    for (const [what, story] of Object.entries(stories)) {
      it(`an append ${where}, ${what}: added once`, async () => {
        started = await startTestEngine();
        other = started.another();
        for (let count = 0; count < before; count++) await take(started.engine);
        arm({ store: started.store, others: () => take(other) }, story.steps);
        const { state } = await take(started.engine);
        expect(await pieces()).to.equal(before + story.pieces);
        expect(state.taken).to.be.within(before + 1, before + story.pieces);
      });
    }
  }

  it('is unavailable to its caller while the log stays behind, and adds nothing under other ids', async () => {
    started = await startTestEngine({ limits: { unknownOutcomeMs: 60 } });
    other = started.another();
    arm({ store: started.store, others: () => take(other) }, [notTaken, ...Array<Step>(100).fill(conflict)]);
    const refused = await take(started.engine).then(
      () => expect.fail('not refused'),
      (error: unknown) => error,
    );
    expect(refused).to.be.instanceOf(EngineUnavailable);
    expect(await pieces()).to.equal(0);
  });
});
