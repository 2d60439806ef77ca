import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFound, makeSealedLog, verifyManipulated } from '#test/support/manipulated-log.ts';
import { manipulations } from '#test/support/manipulations.ts';

const placeText = (place: {
  readonly position: number | null;
  readonly stream: string | null;
  readonly revision: number | null;
}): string => {
  const stream = place.stream === null ? '' : `, ${place.stream} revision ${place.revision}`;
  return `position ${place.position}${stream}`;
};

/** What is done to copies of a log, and what verify says of each. False where it misses one, or its place. */
export const printManipulations = async (): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-manipulated-'));
  let isWhole = true;
  try {
    const log = await makeSealedLog(folder);
    console.log('\nA log that was tampered with, and what verify says');
    for (const manipulation of manipulations) {
      const { report, expected } = await verifyManipulated(log, manipulation);
      const found = report.problems.find((problem) => isFound(problem, expected));
      isWhole &&= found !== undefined;
      console.log(`\n  ${manipulation.name}`);
      if (!found) console.log(`    NOT FOUND: ${JSON.stringify(expected)}`);
      else
        console.log(
          `    ${found.check}, ${placeText(found)}\n    found     ${found.found}\n    expected  ${found.expected}`,
        );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return isWhole;
};
