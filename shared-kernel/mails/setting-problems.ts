import { hasStrayBraces, recipientsOf, tokensOf } from './expressions.ts';
import { lookUp, writtenValue, type MailData } from './look-up.ts';
import type { MailSettings } from './mail-configuration.ts';
import { mailTopicRecord } from './mail-topics.ts';
import { sampleConfig, sampleStore } from './store-facts.ts';

type Expressions = Pick<
  MailSettings,
  'topic' | 'toExpression' | 'ccExpression' | 'bccExpression' | 'fromExpression' | 'subjectExpression'
>;

const MOST_RECIPIENTS = 50;
const breaksLine = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** What is wrong with an expression, whatever it is for. */
const tokenProblems = (
  expression: string,
  topic: MailSettings['topic'],
  data: MailData,
): readonly string[] => {
  if (breaksLine.test(expression)) return ['must be one line'];
  if (hasStrayBraces(expression)) return ['must write tokens as {{path.to.property}}'];
  const unknown = tokensOf(expression).filter((path) => writtenValue(lookUp(data, path)) === undefined);
  return unknown.map((path) => `{{${path}}} must be a token of GET /emails/topics/${topic}/tokens`);
};

const recipientProblems = (expression: string, data: MailData, least: 0 | 1): readonly string[] => {
  const recipients = recipientsOf(expression, data);
  if (recipients.kind === 'refused') return [recipients.reason];
  const { length } = recipients.addresses;
  if (length > MOST_RECIPIENTS) return [`must be at most ${MOST_RECIPIENTS} addresses`];
  return length < least ? ['must name at least one e-mail address'] : [];
};

/**
 * What is wrong with the expressions of a mail, as `path: what was expected`: each is filled in with the sample of its
 * topic (docs/rules/mails.md#what-is-refused).
 */
export const expressionProblems = (settings: Expressions): readonly string[] => {
  const { topic, subjectExpression, ...recipients } = settings;
  const data = { notification: mailTopicRecord(topic).sample, store: sampleStore, config: sampleConfig };
  const named = [
    ['toExpression', recipients.toExpression, 1],
    ['ccExpression', recipients.ccExpression, 0],
    ['bccExpression', recipients.bccExpression, 0],
    ['fromExpression', recipients.fromExpression, 0],
  ] as const;
  const problems = named.flatMap(([field, expression, least]) => {
    if (expression === null) return [];
    const wrong = tokenProblems(expression, topic, data);
    const found = wrong.length > 0 ? wrong : recipientProblems(expression, data, least);
    return found.map((problem) => `${field}: ${problem}`);
  });
  return [
    ...problems,
    ...tokenProblems(subjectExpression, topic, data).map((problem) => `subjectExpression: ${problem}`),
  ];
};
