import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Figures by the values of a label, which are few. */
export type ByLabel = Iterable<readonly [string, number]>;

/** How long something takes; begun before there are metrics to show it in. */
export interface Timing {
  readonly histogram: Histogram;
  /** One value for each label, in their order. */
  observe(seconds: number, ...labels: readonly string[]): void;
}

/** Figures for Prometheus. */
export interface Metrics {
  /** One answered request; `route` is the declared path, never the caller's. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** A figure read at every scrape: one value, or one for each value of the label. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  gaugeBy(name: string, help: string, label: string, read: () => ByLabel | Promise<ByLabel>): void;
  /** The same for a count since the start; its name ends in `_total`. */
  counter(name: string, help: string, read: () => number): void;
  /** Shows what is timed from now on. */
  timing(timing: Timing): void;
  /** The text that `GET /metrics` answers. */
  text(): Promise<string>;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** `labels` take few values each. */
export const createTiming = (name: string, help: string, labelNames: readonly string[] = []): Timing => {
  const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets, registers: [] });
  return {
    histogram,
    observe: (seconds, ...labels) => histogram.labels(...labels).observe(seconds),
  };
};

/** What the process itself measures, once however many parts run in it: its observers are never let go. */
const processFigures = new Registry();

/** A registry of its own; its text also has the usual figures of a Node process. */
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
