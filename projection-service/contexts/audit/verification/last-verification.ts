import type { VerificationReport } from '#contracts/verification.contract.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

interface VerificationDocument extends Document {
  readonly report: VerificationReport;
}

const collection = 'verifications';
const id = 'last';

export const keepVerification = async (
  store: Pick<DocumentStore, 'declare' | 'write'>,
  report: VerificationReport,
): Promise<void> => {
  await store.declare(collection);
  await store.write([{ collection, put: { _id: id, report } as VerificationDocument }]);
};

/** Null as long as none was kept. */
export const readLastVerification = async (
  store: Pick<DocumentStore, 'declare' | 'get'>,
): Promise<VerificationReport | null> => {
  await store.declare(collection);
  return (await store.get<VerificationDocument>(collection, id))?.report ?? null;
};
