/** The shop's time. Leases, engine time-outs and reconnects use real time instead. */
export interface Clock {
  /** Now, in milliseconds since 1970 UTC. */
  now(): number;
}

/** Under load many things happen in one millisecond. */
let last = { milliseconds: NaN, text: '' };

/** An ISO 8601 instant in UTC with milliseconds, as it stands in events and on the wire. */
export const isoInstant = (milliseconds: number): string => {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() };
  return last.text;
};

/** Real time moved by an offset that can grow while it runs. */
export const offsetClock = (offsetMilliseconds: () => number): Clock => ({
  now: () => Date.now() + offsetMilliseconds(),
});
