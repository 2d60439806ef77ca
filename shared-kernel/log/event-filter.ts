import type { Actor, EventMetadata } from '#kernel/event.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { backofficeUserId } from '#runtime/backoffice-users.ts';
import { idOf } from '#values/stream-name.ts';
import { readEnvelope } from './envelope.ts';
import { instantOf } from './log-span.ts';

/** Which events of the log are wanted: those that all of it is true of. */
export interface EventFilter {
  readonly stream?: string | undefined;
  /** What stands before the first hyphen of a stream. */
  readonly category?: string | undefined;
  readonly type?: string | undefined;
  /** A kind, an id, `kind:id`, or the e-mail address of a backoffice user. */
  readonly actor?: string | undefined;
  readonly correlationId?: string | undefined;
  /** A basket's or a customer's id: their own streams, and what names them elsewhere. */
  readonly subject?: string | undefined;
  /** When it was recorded, in milliseconds since 1970; both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type Wanted = (event: StoredEvent) => boolean;

const actorKinds: Readonly<Record<Actor['kind'], true>> = {
  visitor: true,
  member: true,
  backoffice: true,
  operator: true,
  agent: true,
  system: true,
};

const isKind = (text: string): boolean => Object.hasOwn(actorKinds, text);

const actorOf = (wanted: string): { readonly kind?: string; readonly id?: string } => {
  if (wanted.includes('@')) return { id: backofficeUserId(wanted) };
  if (isKind(wanted)) return { kind: wanted };
  const [kind = '', ...rest] = wanted.split(':');
  return rest.length > 0 && isKind(kind) ? { kind, id: rest.join(':') } : { id: wanted };
};

/** Null where the envelope is damaged: nothing is known of such an event but its place and its type. */
const metadataOf = (event: StoredEvent): EventMetadata | null => {
  try {
    return readEnvelope(event).metadata();
  } catch {
    return null;
  }
};

/** Most events are told apart without parsing: a text that is not there is no member either. */
const says = (text: string, holds: (metadata: EventMetadata, event: StoredEvent) => boolean): Wanted => {
  const written = JSON.stringify(text);
  return (event) => {
    if (!event.metadata.includes(written)) return false;
    const metadata = metadataOf(event);
    return metadata !== null && holds(metadata, event);
  };
};

const byActor = (wanted: string): Wanted => {
  const { kind, id } = actorOf(wanted);
  return says(
    id ?? kind ?? '',
    ({ actor }) => (kind ?? actor.kind) === actor.kind && (id ?? actor.id) === actor.id,
  );
};

const bySubject = (subject: string): Wanted => {
  const isNamed = says(subject, (metadata) => metadata.subject === subject);
  return (event) => idOf(event.stream) === subject || isNamed(event);
};

/** The test whether an event is wanted; made once for many. */
export const wantedBy = (filter: EventFilter): Wanted => {
  const { stream, category, type, actor, correlationId, subject, from = -Infinity, to = Infinity } = filter;
  const tests: Wanted[] = [];
  if (stream !== undefined) tests.push((event) => event.stream === stream);
  if (type !== undefined) tests.push((event) => event.type === type);
  if (category !== undefined) tests.push((event) => event.stream.startsWith(`${category}-`));
  if (correlationId !== undefined)
    tests.push(says(correlationId, (metadata) => metadata.correlationId === correlationId));
  if (actor !== undefined) tests.push(byActor(actor));
  if (subject !== undefined) tests.push(bySubject(subject));
  if (from > -Infinity || to < Infinity)
    tests.push((event) => {
      const instant = instantOf(event);
      return instant !== null && instant >= from && instant <= to;
    });
  return (event) => tests.every((isTrueOf) => isTrueOf(event));
};
