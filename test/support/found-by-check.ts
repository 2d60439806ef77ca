import type { Recorded } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import type { CreateLogCheck, LogEnd, Problem } from '#projection/contexts/audit/verification/log-check.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';

type Found = Omit<Problem, 'check'>;

const storedOf = ({ id, type, stream, revision, position, recordedAt, ...event }: Recorded): StoredEvent => ({
  ...{ id, type, stream, revision, position },
  data: JSON.stringify(event.data),
  metadata: JSON.stringify({ schemaVersion: event.schemaVersion, recordedAt, correlationId: 'test' }),
});

/** What a check finds in a log of these events, all of which it is shown. */
export const foundBy = (create: CreateLogCheck, events: readonly GivenEvent[], end?: Partial<LogEnd>) =>
  foundInLog(create, recordedEvents(events), end);

/** In a log that was tampered with. */
export const foundInLog = (
  create: CreateLogCheck,
  log: readonly Recorded[],
  end: Partial<LogEnd> = {},
): readonly Found[] => {
  const problems: Found[] = [];
  const { eventTypes, ...check } = create((problem) => void problems.push(problem));
  for (const event of log) {
    check.takeStored?.(storedOf(event));
    if (eventTypes?.has(event.type)) check.take?.(event);
  }
  const { position = 0, recordedAt = null } = log.at(-1) ?? {};
  check.finish?.({ position, recordedAt, events: log.length, ...end });
  return problems;
};
