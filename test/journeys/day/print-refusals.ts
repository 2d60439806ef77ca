import { detours, refusalOf, refusedTargets } from '#test/support/refused-targets.ts';

/** Where no webhook goes, and why: what attempts to send there came to. False where a connection was opened. */
export const printRefusals = async (): Promise<boolean> => {
  console.log('\nTargets that a webhook may not have');
  console.log(`  ${'kind'.padEnd(41)}${'target'.padEnd(44)}connections  reason`);
  let isWhole = true;
  const refusals = [];
  for (const target of refusedTargets) refusals.push(await refusalOf(target));
  for (const { kind, url, reason, connections } of [...refusals, ...(await detours())]) {
    console.log(`  ${kind.padEnd(41)}${url.padEnd(44)}${String(connections).padEnd(13)}${reason}`);
    isWhole &&= connections === 0 && reason !== '';
  }
  return isWhole;
};
