import progress, { type SingleBar, type TimeFormatter } from 'cli-progress';

/** Between two lines without a terminal: enough to see in a log that work goes on. */
const LOG_EVERY_MILLISECONDS = 10_000;
/** How many updates an estimate of the time left is based on. */
const ESTIMATED_FROM = 200;

/** Before there is anything to estimate from, the library gives a word or '0' in place of a number. */
const timeLeft: TimeFormatter = (seconds, options, roundTo) =>
  typeof seconds === 'number' ? `${progress.Format.TimeFormat(seconds, options, roundTo)} left` : '';

/**
 * A bar on standard error, drawn in place in a terminal, elsewhere as a line now and then. `{eta_formatted}` is
 * "12s left", or nothing while that is not known.
 */
export const progressBar = (format: string): SingleBar =>
  new progress.SingleBar(
    {
      format,
      clearOnComplete: true,
      etaBuffer: ESTIMATED_FROM,
      noTTYOutput: true,
      formatTime: timeLeft,
      notTTYSchedule: LOG_EVERY_MILLISECONDS,
    },
    progress.Presets.shades_classic,
  );
