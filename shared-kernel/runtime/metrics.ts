import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Values by label, of which there are few. */
export type ByLabel = Iterable<readonly [string, number]>;

/** Durations, which may be observed before the metrics exist. */
export interface Timing {
  readonly histogram: Histogram;
  /** Label values in the order of the labels. */
  observe(seconds: number, ...labels: readonly string[]): void;
}

export interface Metrics {
  /** Records one request; `route` is the declared path, never the caller's. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** A value read at every scrape, or one for each label value. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  gaugeBy(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void;
  /** The same for a counter since the start; its name ends in `_total`. */
  counter(name: string, help: string, read: () => number): void;
  /** Adds a timing to the metrics. */
  timing(timing: Timing): void;
  /** The text that `GET /metrics` answers. */
  text(): Promise<string>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Each label takes few values. */
export const createTiming = (name: string, help: string, labelNames: readonly string[] = []): Timing => {
  const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets, registers: [] });
  return {
    histogram,
    observe: (seconds, ...labels) => histogram.labels(...labels).observe(seconds),
  };
};

/** Figures of the process itself, registered once: their observers are never released. */
const processFigures = new Registry();

/** A registry whose text includes the usual figures of a Node process. */
export const createMetrics = (): Metrics => {
  if (!processFigures.getMetricsAsArray().length) collectDefaultMetrics({ register: processFigures });
  const registry = new Registry();
  const requests = new Histogram({
    name: 'tillroll_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const known = new Map<string, Histogram.Internal<string>>();
  return {
    observeRequest: (method, route, status, seconds) => {
      const key = `${method} ${route} ${status}`;
      let child = known.get(key);
      if (!child) known.set(key, (child = requests.labels(method, route, String(status))));
      child.observe(seconds);
    },
    gauge: (name, help, read) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => gauge.set(await read()),
      });
    },
    gaugeBy: (name, help, label, read) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: async () => {
          const figures = await read();
          gauge.reset();
          for (const [value, figure] of figures) gauge.set({ [label]: value }, figure);
        },
      });
    },
    counter: (name, help, read) => {
      const counter: Counter = new Counter({
        name,
        help,
        registers: [registry],
        collect: () => {
          counter.reset();
          counter.inc(read());
        },
      });
    },
    timing: ({ histogram }) => registry.registerMetric(histogram),
    text: async () => `${await processFigures.metrics()}\n${await registry.metrics()}`,
  };
};
