import { nearestNames } from '#values/nearest-name.ts';
import type { Appender, EventFlow, Reached } from './event-flows.ts';
import type { Place } from './read-file.ts';
import { roles, type Role } from './registrations.ts';

export const titles: Readonly<Record<Role, string>> = {
  state: 'Stream state',
  memory: 'In memory',
  view: 'Read models',
  process: 'Processes',
  handler: 'Notifications',
  job: 'Jobs',
  topic: 'Webhook topics',
};

export const nameOf = ({ name, means }: Reached): string => (means === null ? name : `${name} (${means})`);

const COLUMN = 16;
const NAMES = 44;

/** Rows with a title beside the first. */
const section = (title: string, rows: readonly string[]): readonly string[] =>
  rows.map((row, index) => (index === 0 ? title : '').padEnd(COLUMN) + row);

const at = ({ file, line }: Place): string => `${file}:${line}`;

const appenderRows = ({ decider, constructedAt }: Appender): readonly string[] => [
  decider,
  ...constructedAt.filter(({ file }) => file !== decider).map((place) => `  through ${at(place)}`),
];

const reachedRow = (reached: Reached): string =>
  reached.file === null ? nameOf(reached) : `${nameOf(reached).padEnd(NAMES)}${reached.file}`;

/** What `tillroll events --about` prints. */
export const printEvent = ({
  type,
  context,
  schemaVersion,
  declared,
  appenders,
  reached,
}: EventFlow): string =>
  [
    `${type}: ${context} event, schema version ${schemaVersion}`,
    '',
    ...section('Declared in', [at(declared)]),
    ...section(
      'Appended by',
      appenders.length === 0 ? ['nothing: this release only reads it'] : appenders.flatMap(appenderRows),
    ),
    ...roles.flatMap((role) =>
      section(titles[role], reached.filter((one) => one.role === role).map(reachedRow)),
    ),
    '',
  ].join('\n');

/** Errors: `Error` for a type that does not exist, naming those that may be meant. */
export const findEvent = (flows: readonly EventFlow[], type: string): EventFlow => {
  const found = flows.find((flow) => flow.type === type);
  if (found) return found;
  const types = flows.map((flow) => flow.type);
  const similar = nearestNames(type, types, 5).join(', ');
  throw new Error(`There is no event type ${type}. Similar: ${similar}. docs/events.md lists all of them.`);
};
