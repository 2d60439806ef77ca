import { withoutPersonalFields } from '#events/define-events.ts';
import { eventDefinition } from '#events/registry.ts';
import type { DomainEvent } from '#kernel/event.ts';

/** Events as they are read once their subject is forgotten. */
export const onceForgotten = <Event extends DomainEvent>(events: readonly Event[]): Event[] =>
  events.map((event) => {
    const definition = eventDefinition(event.type);
    return definition ? { ...event, data: withoutPersonalFields(definition, event.data as object) } : event;
  });
