import type { Logger } from 'pino';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { BackOff, pause } from '#runtime/back-off.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Transition } from '#topics/delivery-steps.ts';
import type { DeliveryProgress } from '#topics/webhook-delivery.ts';
import type { DeliveryTable } from './delivery-table.ts';

const TOGETHER_MILLISECONDS = 2;

/** What all recorders of outcomes wait for, so that one commit takes them all. */
export const createBeat = (): (() => Promise<void>) => {
  let next: Promise<void> | null = null;
  return () =>
    (next ??= pause(TOGETHER_MILLISECONDS).then(() => {
      next = null;
    }));
};

export interface RecorderOptions<Row> {
  /** Null when the row no longer stands where the step begins. */
  readonly take: (transition: Transition) => Promise<Row | null>;
  /** The row when an earlier try has taken this very step, and only its answer was lost. */
  readonly taken: (transition: Transition) => Promise<Row | null>;
  readonly log: Pick<Logger, 'warn'>;
  readonly stopping: AbortSignal;
}

/** Takes steps that must not be lost: while the state store is away it tries on, until the process stops. */
export const createRecorder =
  <Row>({ take, taken, log, stopping }: RecorderOptions<Row>) =>
  async (transition: Transition): Promise<Row | null> => {
    const backOff = new BackOff();
    for (let isRepeat = false; ; isRepeat = true) {
      try {
        return (await take(transition)) ?? (isRepeat ? await taken(transition) : null);
      } catch (error) {
        if (!(error instanceof EngineUnavailable) || stopping.aborted) throw error;
        log.warn({ err: error }, 'the outcome of a delivery is not recorded yet, trying again');
        await backOff.wait(stopping);
      }
    }
  };

type Taken = 'taken';

/** Takes the steps of attempts without their rows coming back, which have what was written. */
export const stepsOf = <Row extends DeliveryProgress>(
  { get, takeSteps }: Pick<DeliveryTable<Row>, 'get' | 'takeSteps'>,
  stateStore: DocumentStore,
): Pick<RecorderOptions<Taken>, 'take' | 'taken'> => ({
  take: async (transition) => ((await takeSteps(stateStore, [transition])) > 0 ? 'taken' : null),
  // None but the holder of the attempt takes the row to this end.
  taken: async ({ when, patch }) => {
    const row = await get(stateStore, String(when['_id']));
    const { status, attemptNumber = when['attemptNumber'] } = patch.set ?? {};
    return row?.attemptNumber === attemptNumber && row?.status === status ? 'taken' : null;
  },
});
