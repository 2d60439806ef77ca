import { createTiming, type Metrics } from '#runtime/metrics.ts';
import type { RunningCommandEngine } from './handle-command.ts';

/** The figures of a command engine. */
export const createEngineMetrics = () => {
  const append = createTiming('tillroll_append_seconds', 'Time until the log has taken an append');
  return {
    onAppended: (seconds: number): void => append.observe(seconds),
    measure: (engine: RunningCommandEngine, metrics: Metrics): void => {
      const read = () => engine.counters();
      metrics.timing(append);
      metrics.gauge('tillroll_commands_total', 'Commands carried out since the start', () => read().commands);
      metrics.gauge('tillroll_appends_total', 'Appends since the start', () => read().appends);
      metrics.gauge('tillroll_mailbox_depth', 'Commands that wait', () => read().mailboxDepth);
      metrics.gauge(
        'tillroll_engine_unavailable_total',
        'Appends an engine did not answer',
        () => read().unavailable,
      );
      metrics.gaugeBy('tillroll_conflicts_total', 'Appends that met a conflict', 'category', () =>
        Object.entries(read().conflicts),
      );
    },
  };
};
