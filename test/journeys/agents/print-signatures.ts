import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { manipulationsOf, signingShop, stageWith } from '#test/support/agents/signature-manipulations.ts';
import { sendAsIs, SigningAgent } from '#test/support/agents/signing-agent.ts';

const WIDTH = 58;

/** What is done to signed requests, and what a shop that wants them signed answers. False where it is taken in. */
export const printSignatures = async (): Promise<boolean> => {
  const shop = await signingShop();
  let isWhole = true;
  try {
    for (const version of datedVersions) {
      console.log(`\nA signed request of ${version}, and what is done to it`);
      const agent = await SigningAgent.start(version);
      const stage = stageWith(shop.base, agent);
      for (const [title, rows] of manipulationsOf[version]) {
        console.log(`\n  ${title}`);
        for (const { what, is, send } of rows) {
          const { status, body } = await sendAsIs(shop.base, send(stage));
          const answered = status === 201 ? null : String(body.code);
          isWhole &&= answered === is;
          const verdict = answered === is ? '' : `  EXPECTED ${is ?? 201}`;
          console.log(`  ${what.padEnd(WIDTH)}${status}  ${answered ?? ''}${verdict}`.trimEnd());
        }
      }
      await agent.close();
    }
  } finally {
    await shop.close();
  }
  return isWhole;
};
