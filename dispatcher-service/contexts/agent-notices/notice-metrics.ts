import type { Metrics } from '#runtime/metrics.ts';
import type { QueueFigures } from '../../engine/delivery-queues.ts';
import type { LogFollower } from '../../engine/follow-log.ts';

/** Figures of notices under way. */
export interface NoticeFigures {
  readonly follower: Pick<LogFollower, 'lagPositions' | 'lagSeconds' | 'stopped'>;
  readonly queues: { figures(): QueueFigures };
  /** In seconds of the shop's clock. Errors: `EngineUnavailable`. */
  oldestDueSeconds(): Promise<number>;
  /** Errors: `EngineUnavailable`. */
  abandoned(): Promise<number>;
}

/** The figures of notices to agents. */
export const measureNotices = (
  { follower, queues, oldestDueSeconds, abandoned }: NoticeFigures,
  metrics: Metrics,
): void => {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void =>
    metrics.gauge(`tillroll_agent_notices_${name}`, help, read);
  const unlessAway = (asked: Promise<number>): Promise<number> => asked.catch(() => NaN);
  gauge('lag_positions', 'Events not yet turned into notices to agents', () => follower.lagPositions);
  gauge('lag_seconds', 'Age of the oldest of them', () => follower.lagSeconds);
  gauge('stopped', '1 when notices stand still at an event', () => (follower.stopped ? 1 : 0));
  gauge('waiting', 'Notices to agents that wait in memory', () => queues.figures().waiting);
  gauge('in_flight', 'Notices to agents under way', () => queues.figures().inFlight);
  gauge(
    'oldest_due_seconds',
    'How long the oldest notice has been due; NaN while the state store is away',
    () => unlessAway(oldestDueSeconds()),
  );
  gauge(
    'abandoned',
    'Notices that were given up and are not purged yet; NaN while the state store is away',
    () => unlessAway(abandoned()),
  );
};
