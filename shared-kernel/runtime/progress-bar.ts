import progress, { type SingleBar } from 'cli-progress';

/** Between two lines without a terminal: enough to see in a log that work goes on. */
const LOG_EVERY_MILLISECONDS = 10_000;
/** How many updates an estimate of the time left is based on. */
const ESTIMATED_FROM = 200;

/** A bar on standard error, drawn in place in a terminal, elsewhere as a line now and then. */
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
