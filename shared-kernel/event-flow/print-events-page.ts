import { posix } from 'node:path';
import type { EventFlow, Reached } from './event-flows.ts';
import { nameOf, titles } from './print-event.ts';
import { roles } from './registrations.ts';

const link = (text: string, file: string): string => `[${text}](../${file})`;

const reachedItem = (reached: Reached): string =>
  reached.file === null ? nameOf(reached) : link(nameOf(reached), reached.file);

/** Without line numbers: a change elsewhere in a file is none of the page's. */
const eventSection = ({ type, declared, appenders, reached }: EventFlow): readonly string[] => [
  `### ${type}`,
  '',
  `- Declared in: ${link(posix.basename(declared.file), declared.file)}`,
  `- Appended by: ${
    appenders.length === 0
      ? 'nothing; this release only reads it'
      : appenders.map(({ decider }) => link(posix.basename(decider), decider)).join(', ')
  }`,
  ...roles.flatMap((role) => {
    const items = reached.filter((one) => one.role === role).map(reachedItem);
    return items.length === 0 ? [] : [`- ${titles[role]}: ${items.join(', ')}`];
  }),
  '',
];

const ordinal = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** `docs/events.md`. */
export const printEventsPage = (flows: readonly EventFlow[]): string => {
  const contexts = [...Map.groupBy(flows, ({ context }) => context)].toSorted(([one], [other]) =>
    ordinal(one, other),
  );
  return [
    '# Events',
    '',
    'Where every event comes from and where it goes. `npm run events-page` writes this page from what the modules',
    'register; who appends an event is read from the source. `npx tillroll events --about <type>` prints one of them.',
    '',
    ...contexts.flatMap(([context, events]) => [`## ${context}`, '', ...events.flatMap(eventSection)]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
};
