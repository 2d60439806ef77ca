import { writtenValue } from './look-up.ts';
import type { MailTopicKey } from './mail-topics.ts';
import { mailTopicRecord } from './mail-topics.ts';
import { sampleConfig, sampleStore } from './store-facts.ts';

export interface MailToken {
  /** As a template writes it: a list is a section. */
  readonly token: string;
  readonly path: string;
  readonly type: 'text' | 'number' | 'flag' | 'list';
  /** The list for each of whose entries it is written; null: anywhere. */
  readonly within: string | null;
  readonly sample: string | null;
}

const typeOf = (value: unknown): MailToken['type'] => {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : 'text';
};

const listed = (list: readonly unknown[], path: string, within: string | null): readonly MailToken[] => {
  const whole: MailToken = {
    token: `{{#${path}}} … {{/${path}}}`,
    path,
    type: 'list',
    within,
    sample: null,
  };
  const [first] = list;
  const isText = typeof first !== 'object';
  return [whole, ...(isText ? tokenOf(first, '.', path) : membersOf(first as object, '', path))];
};

const tokenOf = (value: unknown, path: string, within: string | null): readonly MailToken[] => [
  { token: `{{${path}}}`, path, type: typeOf(value), within, sample: writtenValue(value) || null },
];

const membersOf = (group: object, prefix: string, within: string | null): readonly MailToken[] =>
  Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    if (Array.isArray(value)) return listed(value, path, within);
    return typeof value === 'object' && value !== null
      ? membersOf(value, `${path}.`, within)
      : tokenOf(value, path, within);
  });

/** Everything that a mail of a topic can write, with the sample of each (docs/rules/mails.md#tokens). */
export const tokensOfTopic = (topic: MailTopicKey): readonly MailToken[] => [
  ...membersOf(mailTopicRecord(topic).sample, '', null),
  ...membersOf(sampleStore, 'store.', null),
  ...membersOf(sampleConfig, 'config.', null),
];
