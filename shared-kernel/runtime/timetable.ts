import cron, { type ScheduledTask } from 'node-cron';

/** When recurring work is due: cron expressions of five or six fields, in UTC and real time. */
export interface Timetable<Entry> {
  /**
   * What has come due since the last call, each once. If the clock has stepped back, nothing repeats or stops: it
   * continues from the new time. After a gap of more than a minute (the machine slept, the clock jumped) everything is
   * due once.
   */
  due(now: number): readonly Entry[];
  /** Continues from here; what came due before is skipped. */
  skipTo(now: number): void;
  close(): void;
}

export interface Scheduled {
  readonly name: string;
  readonly schedule: string;
}

const LONGEST_GAP_SECONDS = 60;

const secondOf = (now: number): number => Math.floor(now / 1000);

/** Errors: TypeError for a schedule that cron cannot read. */
export const createTimetable = <Entry extends Scheduled>(
  entries: readonly Entry[],
  from: number,
): Timetable<Entry> => {
  const rows = entries.map((entry): readonly [Entry, ScheduledTask] => {
    const { name, schedule } = entry;
    if (!cron.validate(schedule))
      throw new TypeError(`the schedule of ${name}, "${schedule}", is not a cron expression`);
    // Never started: only used to match seconds.
    return [entry, cron.createTask(schedule, () => undefined, { timezone: 'UTC' })];
  });
  let looked = secondOf(from);
  return {
    due: (now) => {
      const second = secondOf(now);
      const gap = second - looked;
      looked = second;
      if (gap > LONGEST_GAP_SECONDS) return entries;
      const seconds = Array.from({ length: Math.max(0, gap) }, (_, back) => new Date((second - back) * 1000));
      return rows.filter(([, task]) => seconds.some((one) => task.match(one))).map(([entry]) => entry);
    },
    skipTo: (now) => {
      looked = secondOf(now);
    },
    close: () => {
      for (const [, task] of rows) void task.destroy();
    },
  };
};
