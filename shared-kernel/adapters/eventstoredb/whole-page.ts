import { StreamDamaged } from '#ports/engine-errors.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import type { Page } from './read-page.ts';

/**
 * The events of a page that was read forwards. The server passes over what `$maxAge`, `$maxCount` or a truncation took
 * away and begins with what is left, so that a page which does not begin where it was asked to has lost events. Of a
 * stream with none left it sends nothing, not even that there is no such stream.
 */
export const wholePage = (
  stream: string,
  fromRevision: number,
  { events, isStreamMissing }: Page,
): readonly StoredEvent[] => {
  const [first] = events;
  const isWhole = first ? first.revision === fromRevision : isStreamMissing || fromRevision > 0;
  if (isWhole) return events;
  const left = first ? `it begins at revision ${first.revision}` : 'nothing is left of it';
  throw new StreamDamaged(stream, `revision ${fromRevision} was asked for, and ${left}`);
};
