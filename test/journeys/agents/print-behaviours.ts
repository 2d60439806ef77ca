import { isDeepStrictEqual } from 'node:util';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { behaviours } from './agent-behaviours.ts';
import { openAgentShop, stageIn, type Behaviour, type Stage } from './agent-stage.ts';

interface Seen {
  readonly version: string;
  readonly isRight: boolean;
  readonly answered: string;
}

const see = async (stage: Stage, { ask, is, isOlder }: Behaviour): Promise<Seen> => {
  const { version } = stage;
  const expected = version === '2026-01-11' && isOlder !== undefined ? isOlder : is;
  try {
    const answered = await ask(stage);
    const isRight = isDeepStrictEqual(answered, expected);
    return { version, isRight, answered: JSON.stringify(answered) };
  } catch (error) {
    return { version, isRight: false, answered: String(error) };
  }
};

const WIDTH = 58;

/** How the shop behaves to agents, in both published versions. False where it does otherwise than it should. */
export const printBehaviours = async (): Promise<boolean> => {
  const shop = await openAgentShop();
  const stages = await Promise.all(datedVersions.map((version) => stageIn(shop, version)));
  let isWhole = true;
  try {
    const heads = stages.map(({ version }) => version.padEnd(12)).join('');
    console.log(`\nWhat agents count on\n  ${'behaviour'.padEnd(WIDTH)}${heads}answer`);
    for (const [title, rows] of behaviours) {
      console.log(`\n  ${title}`);
      for (const row of rows) {
        const seen: Seen[] = [];
        for (const stage of stages) seen.push(await see(stage, row));
        const verdicts = seen.map(({ isRight }) => (isRight ? 'yes' : 'NO').padEnd(12)).join('');
        console.log(`  ${row.what.padEnd(WIDTH)}${verdicts}${seen[0]?.answered ?? ''}`);
        for (const { version, isRight, answered } of seen)
          if (!isRight) console.log(`    ${version} answered ${answered}`);
        isWhole &&= seen.every(({ isRight }) => isRight);
      }
    }
  } finally {
    for (const { told } of stages) await told.stop();
    await shop.close();
  }
  return isWhole;
};
