import type { z } from 'zod';
import type { sealPage } from '#contracts/seals.contract.ts';
import type { VerificationReport } from '#contracts/verification.contract.ts';

type SealPage = z.output<typeof sealPage>;

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export const printSeals = ({ publicKey, seals, nextBefore }: SealPage): string => {
  if (publicKey === null) return 'Nothing has been sealed yet: the job seal-log does so every hour.\n';
  const lines = seals.map(
    ({ number, sealedAt, position, count, digest, signature }) =>
      `${number}  ${sealedAt}  position ${position}  ${counted(count, 'event')}\n` +
      `    digest ${digest}\n    signature ${signature}\n`,
  );
  const more = nextBefore === null ? '' : `Older ones: --before ${nextBefore}\n`;
  return `${lines.join('')}${more}${publicKey}`;
};

const sealsLine = ({ count, covering, uncovered, isCompared }: VerificationReport['seals']): string => {
  const copy = isCompared ? ', compared with the copy' : '';
  if (!covering) return `seals: ${count}${copy}; no seal covers the log, its end is not proved\n`;
  return (
    `seals: ${count}${copy}; seal ${covering.number} of ${covering.sealedAt} covers the log up to position ` +
    `${covering.position}, ${counted(uncovered, 'event')} came later\n`
  );
};

const problemText = ({
  check,
  position,
  stream,
  revision,
  found,
  expected,
}: VerificationReport['problems'][number]): string => {
  const place = [
    position === null ? null : `position ${position}`,
    stream === null ? null : `${stream}${revision === null ? '' : ` revision ${revision}`}`,
  ].filter((part) => part !== null);
  return `\n${[check, ...place].join(', ')}\n  found     ${found}\n  expected  ${expected}\n`;
};

export const printVerification = (report: VerificationReport): string => {
  const { isSound, events, position, recordedUntil, checks, seals, views, problems } = report;
  const until = recordedUntil === null ? '' : `, recorded until ${recordedUntil}`;
  const found = checks.map(
    ({ name, problems: count }) => `${name}: ${count === 0 ? 'sound' : counted(count, 'problem')}\n`,
  );
  const total = checks.reduce((sum, { problems: count }) => sum + count, 0);
  const shown =
    problems.length < total ? `\nThe first ${problems.length} of ${total} problems are shown.\n` : '';
  return [
    `${counted(events, 'event')} up to position ${position}${until}\n`,
    ...found,
    sealsLine(seals),
    views ? `views: ${views.count}, with ${counted(views.documents, 'document')}\n` : '',
    ...problems.map(problemText),
    shown,
    isSound ? 'The log is sound.\n' : '\nThe log is not sound.\n',
  ].join('');
};
