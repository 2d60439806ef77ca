import progress, { type SingleBar } from 'cli-progress';

/** Between two lines where there is no terminal to draw on: enough to see in a log that work goes on. */
const LOG_EVERY_MILLISECONDS = 10_000;
/** Updates that an estimate of the time left looks back on. */
const ESTIMATED_FROM = 200;

/** A bar on standard error, drawn in place in a terminal and as a line now and then elsewhere, as in a log. */
export const progressBar = (format: string): SingleBar =>
  new progress.SingleBar(
    {
      format,
      clearOnComplete: true,
      etaBuffer: ESTIMATED_FROM,
      noTTYOutput: true,
      notTTYSchedule: LOG_EVERY_MILLISECONDS,
    },
    progress.Presets.shades_classic,
  );
