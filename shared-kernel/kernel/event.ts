/**
 * Who caused an event. `id` is null for a visitor without a name and for the system itself. An operator works on the
 * machine of the shop, with its command line.
 */
export interface Actor {
  readonly kind: 'visitor' | 'member' | 'backoffice' | 'operator' | 'agent' | 'system';
  readonly id: string | null;
}

/** As rows name who asked: by id, or by kind where they have none. */
export const actorName = ({ kind, id }: Actor): string => id ?? kind;

/** The signed-in member; null for any other caller. */
export const memberIdOf = ({ kind, id }: Actor): string | null => (kind === 'member' ? id : null);

/** What happened, before it has a place in the log: what deciders return. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** The events of a union that are of a type. */
export type EventOfType<Event extends DomainEvent, Type extends string> = Extract<
  Event,
  { readonly type: Type }
>;

/**
 * What stands beside an event's data. `subject` is the data subject (a basket's or a customer's id) under whose key its
 * personal fields are encrypted, where it has some. `hash` continues that of the event before it in its stream.
 */
export interface EventMetadata {
  readonly correlationId: string;
  readonly causationId: string;
  readonly commandId?: string;
  /** A keyed hash of the body that asked for the command: the id's own, so that no other body passes for a repeat. */
  readonly bodyFingerprint?: string;
  readonly subject?: string;
  readonly actor: Actor;
  readonly hash: string;
}

/**
 * An event as the log holds it, decoded: upcast to today's schema, personal fields in clear (or null once forgotten).
 * `position` is its place in the whole log (ordered, not contiguous), `revision` its place in its stream (from 0),
 * `recordedAt` an ISO 8601 instant of the shop's clock.
 */
export type Recorded<Event extends DomainEvent = DomainEvent> = Event & {
  readonly id: string;
  readonly schemaVersion: number;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly recordedAt: string;
  readonly metadata: EventMetadata;
};
