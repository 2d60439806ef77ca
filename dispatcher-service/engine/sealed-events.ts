import { eventDefinition } from '#events/registry.ts';
import type { Recorded } from '#kernel/event.ts';
import type { PersonalTexts, SealText } from '#log/personal-texts.ts';

/** An event, whom it is about, and how what is written because of it is sealed; both are null for nobody. */
export interface SealedEvent {
  readonly event: Recorded;
  readonly subject: string | null;
  readonly seal: SealText | null;
}

/** Forgotten since it was decoded: what a mapping makes of it must not say what is to be gone. */
const withoutPersonal = (event: Recorded): Recorded => {
  const fields = eventDefinition(event.type)?.personalFields ?? [];
  const gone = Object.fromEntries(fields.map((field) => [field, null]));
  return { ...event, data: { ...(event.data as object), ...gone } };
};

const isPersonal = ({ type }: Recorded): boolean => (eventDefinition(type)?.personalFields.length ?? 0) > 0;

/** The events with the seals of their data subjects; `texts` null: with none. Errors: `EngineUnavailable`. */
export const sealedEvents = async (
  texts: Pick<PersonalTexts, 'sealers'> | null,
  events: readonly Recorded[],
): Promise<readonly SealedEvent[]> => {
  if (texts === null) return events.map((event) => ({ event, subject: null, seal: null }));
  const subjects = events.map((event) => (isPersonal(event) ? event.metadata.subject : undefined));
  const sealers = await texts.sealers(new Set(subjects.filter((subject) => subject !== undefined)));
  return events.map((event, index) => {
    const subject = subjects[index];
    if (subject === undefined) return { event, subject: null, seal: null };
    const seal = sealers.get(subject);
    return seal ? { event, subject, seal } : { event: withoutPersonal(event), subject: null, seal: null };
  });
};
