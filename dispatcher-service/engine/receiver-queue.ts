/** The result of an attempt. `lost`: another worker has the delivery, or it is not due. */
export type Attempted = 'succeeded' | 'failed' | 'lost';

/** Under way to one receiver: it begins with few, a success doubles it, a failure leaves one. */
const FIRST_AT_ONCE = 4;

/** A delivery that waits, and who is told what became of it. */
export interface Waiting {
  readonly id: string;
  readonly done: (result: Attempted) => void;
}

export interface ReceiverQueue {
  readonly key: string;
  /** In order; one of each is taken in turn, so that neither holds back the other. */
  readonly fresh: Waiting[];
  readonly again: Waiting[];
  isAgainNext: boolean;
  /** Waiting or under way here. */
  readonly known: Set<string>;
  /** Where its receiver was at its last turn; null: not known. */
  host: string | null;
  inFlight: number;
  atOnce: number;
  isFailing: boolean;
  /** Resolves when the attempt before has begun: attempts begin in order even if claims are answered out of it. */
  begun: Promise<unknown>;
  /** Rows wait that are not here: new ones are fetched from there, not taken from the bus. */
  isBehind: boolean;
  hasMissed: boolean;
  isFetching: boolean;
  /** The engine was away: nothing is fetched until something succeeds or is asked for. */
  isStalled: boolean;
}

export const newReceiverQueue = (key: string): ReceiverQueue => ({
  key,
  fresh: [],
  again: [],
  isAgainNext: false,
  known: new Set(),
  host: null,
  inFlight: 0,
  atOnce: FIRST_AT_ONCE,
  isFailing: false,
  begun: Promise.resolve(),
  isBehind: false,
  hasMissed: false,
  isFetching: false,
  isStalled: false,
});

export const hasWork = ({ fresh, again }: ReceiverQueue): boolean => fresh.length + again.length > 0;

/** One of each list in turn. */
export const takeNext = (queue: ReceiverQueue): Waiting | undefined => {
  const isAgain = queue.fresh.length === 0 || (queue.isAgainNext && queue.again.length > 0);
  queue.isAgainNext = !isAgain;
  return isAgain ? queue.again.shift() : queue.fresh.shift();
};
