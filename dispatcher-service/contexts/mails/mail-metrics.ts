import type { Metrics } from '#runtime/metrics.ts';
import type { MailDispatch } from './dispatch-mails.ts';

/** The figures of mails. */
export const measureMails = ({ queues, oldestDueSeconds, failed }: MailDispatch, metrics: Metrics): void => {
  metrics.gauge('tillroll_mails_waiting', 'Mails that wait in memory', () => queues.figures().waiting);
  metrics.gauge('tillroll_mails_in_flight', 'Mails under way', () => queues.figures().inFlight);
  metrics.gauge(
    'tillroll_mails_oldest_due_seconds',
    'How long the oldest mail has been due; NaN while the state store is away',
    () => oldestDueSeconds().catch(() => NaN),
  );
  metrics.gauge(
    'tillroll_mails_failed',
    'Mails that failed and are not purged yet; NaN while the state store is away',
    () => failed().catch(() => NaN),
  );
};
