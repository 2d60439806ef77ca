import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import { pause } from './back-off.ts';
import { workUnder, type Lease, type Leases } from './leases.ts';
import { createTimetable, type Timetable } from './timetable.ts';

/** Figures of one run of a job. */
export type JobSummary = Readonly<Record<string, unknown>>;

/** Recurring work. Two instances may run it; it claims what must not be done twice. */
export interface Job {
  readonly name: string;
  /** A cron expression of five or six fields, in UTC and real time. */
  readonly schedule: string;
  /** The name of the state that says what is due, or the event types that it reads the log for. */
  readonly worksOff?: string | readonly string[];
  /** Asked at each tick, in the shop's time, but not for a requested run. Default: every tick is a run. */
  isDue?(now: number): boolean;
  /** Asked once the shop is open, in its time: true if it cannot wait for its first tick. Default: false. */
  isUrgent?(now: number): boolean;
  /** `now` is the shop's time in milliseconds. The signal aborts when the process stops: a long run ends early. */
  runOnce(now: number, signal?: AbortSignal): Promise<JobSummary>;
  /** A last run at an orderly stop, unless another process runs the job: two seconds at most. Default: none. */
  atStop?(now: number): Promise<JobSummary>;
}

export interface JobRunner {
  /** The first run comes 30 s later at the earliest, once the process has settled. */
  start(): void;
  /** Runs urgent jobs without waiting for them. */
  runUrgent(): void;
  /** Runs a job now, after any run under way, and returns its summary. Null if there is no such job. */
  runNow(name: string): Promise<JobSummary | null>;
  /** Starts no more jobs, waits for those under way, and lets some run a last time. */
  stop(): Promise<void>;
}

export interface JobRunnerOptions {
  readonly jobs: readonly Job[];
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'debug' | 'error'>;
  /** Default 30,000. */
  readonly startAfterMs?: number;
}

const LEASE_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 1000;
/** How long a stop waits for the last runs of jobs. */
const LAST_MILLISECONDS = 4000;

const hasDoneSomething = (figure: unknown): boolean =>
  typeof figure === 'object' && figure !== null
    ? Object.values(figure).some(hasDoneSomething)
    : figure !== 0 && figure !== false && figure !== null;

/** Throws TypeError for a schedule that cron cannot read. */
export const createJobRunner = (options: JobRunnerOptions): JobRunner =>
  new CronJobRunner(options, createTimetable(options.jobs, Date.now()));

class CronJobRunner implements JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #timetable: Timetable<Job>;
  #ticking: NodeJS.Timeout | null = null;

  constructor(options: JobRunnerOptions, timetable: Timetable<Job>) {
    this.#options = options;
    this.#timetable = timetable;
  }

  start(): void {
    const { startAfterMs = 30_000 } = this.#options;
    this.#ticking = setTimeout(() => {
      // Skips what came due while the process settled.
      this.#timetable.skipTo(Date.now());
      this.#ticking = setInterval(() => this.#tick(), LOOK_MILLISECONDS).unref();
    }, startAfterMs).unref();
  }

  runUrgent(): void {
    const { jobs, clock } = this.#options;
    for (const job of jobs) if (job.isUrgent?.(clock.now())) void this.#runScheduled(job);
  }

  async runNow(name: string): Promise<JobSummary | null> {
    const job = this.#options.jobs.find((one) => one.name === name);
    return job ? this.#inTurn(job, () => this.#runUnderLease(job, true)) : null;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#ticking) clearTimeout(this.#ticking);
    this.#timetable.close();
    await Promise.all(this.#underWay.values());
    if (!this.#ticking) return;
    const last = Promise.all(this.#options.jobs.map((job) => this.#runLast(job)));
    // An engine that is away must not hold up the stop.
    const patience = new AbortController();
    await Promise.race([last, pause(LAST_MILLISECONDS, patience.signal)]);
    patience.abort();
  }

  #tick(): void {
    for (const job of this.#timetable.due(Date.now())) void this.#runScheduled(job);
  }

  /** A tick is skipped while the job is under way, here or elsewhere. */
  async #runScheduled(job: Job): Promise<void> {
    if (this.#underWay.has(job.name) || this.#stopping.signal.aborted) return;
    if (job.isDue && !job.isDue(this.#options.clock.now())) return;
    try {
      await this.#inTurn(job, () => this.#runUnderLease(job, false));
    } catch (error) {
      this.#options.log.error({ job: job.name, err: error }, 'job failed, next time it is tried again');
    }
  }

  async #runLast(job: Job): Promise<void> {
    const { log } = this.#options;
    const { atStop } = job;
    if (!atStop) return;
    try {
      await this.#runUnderLease(job, false, atStop);
    } catch (error) {
      log.error({ job: job.name, err: error }, 'job failed at the stop, the next start tries it again');
    }
  }

  /** One run after another within this process. */
  async #inTurn<Answer>(job: Job, run: () => Promise<Answer>): Promise<Answer> {
    const before = this.#underWay.get(job.name) ?? Promise.resolve();
    const running = before.then(run);
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    this.#underWay.set(job.name, settled);
    try {
      return await running;
    } finally {
      if (this.#underWay.get(job.name) === settled) this.#underWay.delete(job.name);
    }
  }

  async #runUnderLease(
    job: Job,
    isWanted: boolean,
    run: Job['runOnce'] = (now, signal) => job.runOnce(now, signal),
  ): Promise<JobSummary | null> {
    const lease = await this.#lease(job, isWanted);
    if (!lease) return null;
    const { clock, log } = this.#options;
    const begun = performance.now();
    const summary = await workUnder(lease, LEASE_MILLISECONDS, () => run(clock.now(), this.#stopping.signal));
    const done = { job: job.name, milliseconds: Math.round(performance.now() - begun), ...summary };
    if (hasDoneSomething(summary)) log.info(done, 'job done');
    else log.debug(done, 'job found nothing to do');
    return summary;
  }

  /** A requested run waits for another process to finish; a tick does not. */
  async #lease(job: Job, isWanted: boolean): Promise<Lease | null> {
    for (;;) {
      const lease = await this.#options.leases.acquire(`job ${job.name}`, 'job-runner', LEASE_MILLISECONDS);
      if (lease || !isWanted || this.#stopping.signal.aborted) return lease;
      await pause(100, this.#stopping.signal);
    }
  }
}
