import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '#runtime/job-runner.ts';
import { eventFlows, type EventFlow } from './event-flows.ts';
import type { Aliases } from './read-file.ts';
import type { EventRegistrations } from './registrations.ts';
import { readSources } from './source-graph.ts';

const root = join(import.meta.dirname, '../..');

/** Where events are declared, decided on and registered for. */
const files =
  '{*-service/{contexts,engine,pricing}/**,shared-kernel/{kernel,events,entities,reference,topics}/**}/*.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Where every event comes from and goes to, by what the services register and what the source says. */
export const readEventFlows = (
  services: readonly EventRegistrations[],
  jobs: readonly Job[],
): readonly EventFlow[] => {
  const { imports } = JSON.parse(read('package.json')) as { readonly imports: Aliases };
  const paths = globSync(files, { cwd: root }).toSorted();
  const sources = paths.map((path) => ({ path, text: read(path) }));
  return eventFlows(services, jobs, readSources(sources, imports));
};
