import { sealEntry, sealPage } from '#contracts/seals.contract.ts';
import type { KeptSeals } from '../../contexts/audit/verification/seals.check.ts';

/** What a file of seals holds (docs/rules/proof.md#seals). Errors: `Error` that says what it should hold. */
export const parseKeptSeals = (file: string, text: string): KeptSeals => {
  const content = parsed(text);
  const page = sealPage.safeParse(content);
  if (page.success && page.data.seals.length === 0)
    throw new Error(`--seal ${file}: holds no seal, so there is nothing to hold the log to.`);
  if (page.success) return page.data;
  const entry = sealEntry.safeParse(content);
  if (entry.success) return { publicKey: null, seals: [entry.data] };
  throw new Error(
    `--seal ${file}: must hold what GET /audit/seals or tillroll audit seals --json returned, or one entry of it.`,
  );
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
