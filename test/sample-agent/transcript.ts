import type { Verdict } from './signatures.ts';

/** What a run has seen of signatures. */
interface SignatureCounts {
  readonly verified: number;
  /** Where a signature was to be expected. */
  readonly unsigned: number;
  readonly wrong: number;
  /** What the shop should have done, and has not. */
  readonly problems: number;
}

export interface Transcript {
  step(title: string): void;
  say(text: string): void;
  problem(text: string): void;
  /** A request, what came of it, and what its signature is worth. */
  exchange(asked: string, answered: string, verdict: Verdict | null): void;
  notice(text: string, verdict: Verdict): void;
  close(text: string): void;
  counted(): SignatureCounts;
}

const worth = (verdict: Verdict | null): string => {
  if (verdict === null) return '';
  if (verdict.kind === 'verified') return `, signed by ${verdict.kid}: verified`;
  return verdict.kind === 'unsigned' ? ', NOT SIGNED' : `, WRONG SIGNATURE: ${verdict.why}`;
};

/** A run, told as it goes on. */
export const createTranscript = (print: (line: string) => void): Transcript => {
  const counts = { verified: 0, unsigned: 0, wrong: 0, problems: 0 };
  let steps = 0;
  const count = (verdict: Verdict | null): string => {
    if (verdict) counts[verdict.kind]++;
    return worth(verdict);
  };
  return {
    step: (title) => print(`\n${++steps}. ${title}`),
    say: (text) => print(`   ${text}`),
    problem: (text) => {
      counts.problems++;
      print(`   ! ${text}`);
    },
    exchange: (asked, answered, verdict) => {
      print(`   > ${asked}`);
      print(`   < ${answered}${count(verdict)}`);
    },
    notice: (text, verdict) => print(`   * ${text}${count(verdict)}`),
    close: (text) => print(`\n${text}`),
    counted: () => ({ ...counts }),
  };
};
