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
  /** In order; taken only while there is nothing else. */
  readonly replayed: Waiting[];
  isAgainNext: boolean;
  /** Waiting or under way here. */
  readonly known: Set<string>;
  /** Those of them that were offered meanwhile: if its claim is lost, such a delivery is offered again. */
  readonly offeredAgain: Set<string>;
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
  /** Rows of a replay may wait that are not here. */
  hasReplayed: boolean;
  isFetchingReplayed: boolean;
  /** The engine was away: nothing is fetched until something succeeds or is asked for. */
  isStalled: boolean;
  /** Another process sends to the receiver, or did until now. */
  isAway: boolean;
  /** How often it went to another process: what was begun before the last time is out of date. */
  departures: number;
}

export const newReceiverQueue = (key: string, isAway: boolean): ReceiverQueue => ({
  key,
  fresh: [],
  again: [],
  replayed: [],
  isAgainNext: false,
  known: new Set(),
  offeredAgain: new Set(),
  host: null,
  inFlight: 0,
  atOnce: FIRST_AT_ONCE,
  isFailing: false,
  begun: Promise.resolve(),
  isBehind: false,
  hasMissed: false,
  isFetching: false,
  hasReplayed: false,
  isFetchingReplayed: false,
  isStalled: false,
  isAway,
  departures: 0,
});

/** Forgets what waits. */
export const dropWaiting = ({ fresh, again, replayed, known, offeredAgain }: ReceiverQueue): void => {
  for (const { id, done } of [fresh, again, replayed].flatMap((list) => list.splice(0))) {
    known.delete(id);
    offeredAgain.delete(id);
    done('lost');
  }
};

/** Begins with the rows: those that another process has left are older than whatever is offered here. */
export const arrive = (queue: ReceiverQueue): void => {
  queue.isAway = false;
  queue.isStalled = false;
  queue.isBehind = true;
  queue.hasMissed = true;
};

export const depart = (queue: ReceiverQueue): void => {
  queue.isAway = true;
  queue.departures++;
  queue.isBehind = false;
  queue.hasReplayed = false;
  dropWaiting(queue);
};

export const waitingIn = ({ fresh, again, replayed }: ReceiverQueue): number =>
  fresh.length + again.length + replayed.length;

export const hasWork = (queue: ReceiverQueue): boolean => waitingIn(queue) > 0;

/** Nothing waits, is under way or is being looked for. */
export const isIdle = (queue: ReceiverQueue): boolean =>
  queue.inFlight === 0 &&
  !hasWork(queue) &&
  !queue.isBehind &&
  !queue.isFetching &&
  !queue.hasReplayed &&
  !queue.isFetchingReplayed;

/** What is new and what is due again in turn; what is replayed comes after both. */
export const takeNext = (queue: ReceiverQueue): Waiting | undefined => {
  if (queue.fresh.length + queue.again.length === 0) return queue.replayed.shift();
  const isAgain = queue.fresh.length === 0 || (queue.isAgainNext && queue.again.length > 0);
  queue.isAgainNext = !isAgain;
  return isAgain ? queue.again.shift() : queue.fresh.shift();
};
