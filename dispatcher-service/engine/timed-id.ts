/** A UUIDv8 of the time in an event's id and a derived id: rows of one time stand side by side in every index. */
export const timedId = (eventId: string, derived: string): string =>
  `${eventId.slice(0, 13)}-8${derived.slice(15)}`;
