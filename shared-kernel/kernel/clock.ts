/** The shop's time. Leases, engine time-outs and reconnects use real time instead. */
export interface Clock {
  /** Now, in milliseconds since 1970 UTC. */
  now(): number;
}

/** An ISO 8601 instant in UTC with milliseconds, as it stands in events and on the wire. */
export const isoInstant = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Real time moved by an offset that can grow while it runs. */
export const offsetClock = (offsetMilliseconds: () => number): Clock => ({
  now: () => Date.now() + offsetMilliseconds(),
});
