import { setImmediate as nextTurn } from 'node:timers/promises';
import { digestAfter, emptyDigest } from '#log/hash-chain.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import { isoInstant } from '#kernel/clock.ts';
import { markOf, startMark, type LogMark } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';
import type { Job, JobSummary } from '#runtime/job-runner.ts';
import type { JobDeps } from '../../../engine/service-deps.ts';
import { isSignedBy, linkTo, signSeal, type LogSeal } from './log-seal.ts';
import { openSealStore, type SealStore } from './seal-store.ts';

/** Events of one slice: some 2 ms of the event loop. */
const SLICE = 200;
/** How many times as long as a slice took it then rests, so that shoppers hardly notice a long stretch. */
const RESTS = 3;
/** Events between two seals at most: what is read again after a kill. */
const MOST_BETWEEN = 500_000;
/** How long an orderly stop waits for a last seal. What it does not cover, the next one does. */
const STOP_MILLISECONDS = 2000;

/**
 * Seals what has been appended since the last seal (docs/rules/proof.md#seals). Only reads the log, so that no append
 * waits for it. A run that is cut short seals what it has read.
 */
export const sealLog = (deps: JobDeps): Job => ({
  name: 'seal-log',
  schedule: '7 * * * *',
  runOnce: (now, signal) => {
    const rest = (milliseconds: number): Promise<void> => pause(milliseconds * RESTS, signal);
    return sealOn(deps, now, { isOver: () => signal?.aborted ?? false, rest });
  },
  atStop: (now) => {
    const until = performance.now() + STOP_MILLISECONDS;
    return sealOn(deps, now, { isOver: () => performance.now() > until, rest: () => nextTurn() });
  },
});

interface Pace {
  readonly isOver: () => boolean;
  /** After a slice that took so long. */
  readonly rest: (milliseconds: number) => Promise<void>;
}

/** How far the log has been read, and what its hashes come to until there. */
interface Reach {
  readonly mark: LogMark;
  readonly count: number;
  readonly digest: string;
}

const sealOn = async (deps: JobDeps, now: number, { isOver, rest }: Pace): Promise<JobSummary> => {
  const seals = await openSealStore(deps.stateStore);
  let last = (await seals.newestFirst(null, 1))[0] ?? null;
  let sealed = await lastThatHolds(deps, seals);
  let reach = sealed;
  let made = 0;
  const add = async (): Promise<boolean> => {
    const seal = await sealOf(deps, seals, reach, last, now);
    if (!(await seals.add(seal))) return false;
    [last, sealed, made] = [seal, reach, made + 1];
    return true;
  };
  const head = await deps.store.head();
  while (reach.mark.position < head && !isOver()) {
    const begun = performance.now();
    const page = await deps.store.readAll(reach.mark.position, SLICE);
    if (page.length === 0) break;
    for (const event of page)
      reach = { mark: markOf(event), count: reach.count + 1, digest: digestAfter(reach.digest, event) };
    // Another process seals, too: it goes on from here.
    if (reach.count - sealed.count >= MOST_BETWEEN && !(await add())) break;
    await rest(performance.now() - begun);
  }
  if (reach.count > sealed.count) await add();
  return { seals: made, events: sealed.count };
};

const sealOf = async (
  { applicationKey }: JobDeps,
  seals: SealStore,
  { mark: { position, eventId }, count, digest }: Reach,
  last: LogSeal | null,
  now: number,
): Promise<LogSeal> => {
  const { privateKey } = await seals.keys(applicationKey);
  const content = {
    number: (last?.number ?? 0) + 1,
    position,
    eventId: eventId ?? '',
    count,
    digest,
    previous: last ? linkTo(last) : '',
    sealedAt: isoInstant(now),
  };
  return signSeal(content, privateKey);
};

/**
 * Where the newest seal ends that the shop has signed and whose last event is in the log: what a later seal says of the
 * log up to there was read once. Others stay as they are: they show that the log was put back to an older copy, or that
 * a seal was changed.
 */
const lastThatHolds = async ({ store, log }: JobDeps, seals: SealStore): Promise<Reach> => {
  const publicKey = (await seals.publicKey()) ?? '';
  for (let before: number | null = null; ;) {
    const [seal] = await seals.newestFirst(before, 1);
    if (!seal) return { mark: startMark, count: 0, digest: emptyDigest };
    const { number, position, eventId, count, digest } = seal;
    const mark = isSignedBy(seal, publicKey) ? await confirmMark(store, { position, eventId }) : null;
    if (mark) return { mark, count, digest };
    log.warn(
      { seal: number, position },
      'the log does not hold what was sealed: tillroll audit verify tells more',
    );
    before = number;
  }
};
