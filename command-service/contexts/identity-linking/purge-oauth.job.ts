import type { Streams } from '#command/engine/streams.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { Job } from '#runtime/job-runner.ts';
import { agentLinkStream } from './agent-link.stream.ts';
import { oauthCodes, type CodeRow } from './authorization-codes.ts';
import { consentForms } from './form-tokens.ts';
import { refreshTokens, type RefreshRow } from './refresh-tokens.ts';
import { grantOf } from './tokens.actions.ts';

export interface PurgeDeps {
  readonly stateStore: DocumentStore;
  readonly streams: Streams;
}

const AT_ONCE = 500;

/** Safe to repeat: a row is deleted once the end of its grant is recorded. */
export const purgeOAuth = ({ stateStore, streams }: PurgeDeps): Job => {
  const endGrant = async (memberId: string, grantId: string): Promise<void> => {
    const correlationId = newId();
    const meta = { correlationId, causationId: correlationId, actor: { kind: 'system', id: null } } as const;
    const command = { type: 'EndAgentGrant', grantId, reason: 'expired' } as const;
    await streams.send(agentLinkStream, memberId, command, meta);
  };
  const removeEach = async <Row extends Document>(
    collection: string,
    filter: Filter,
    before: (row: Row) => Promise<void>,
  ): Promise<number> => {
    let removed = 0;
    for (;;) {
      const rows = await stateStore.find<Row>(collection, { filter, limit: AT_ONCE });
      for (const row of rows) {
        await before(row);
        removed += await stateStore.deleteMany(collection, { _id: row._id }, 1);
      }
      if (rows.length < AT_ONCE) return removed;
    }
  };
  return {
    name: 'purge-oauth',
    schedule: '23 * * * *',
    runOnce: async (now) => ({
      // A kill may have left a grant without a refresh token, which is of no use to anyone.
      codes: await removeEach<CodeRow>(oauthCodes, { keptUntil: { lte: now } }, async (row) => {
        const grantId = grantOf(row);
        if (!(await stateStore.get(refreshTokens, grantId))) await endGrant(row.memberId, grantId);
      }),
      grants: await removeEach<RefreshRow>(refreshTokens, { expiresAt: { lte: now } }, (row) =>
        endGrant(row.memberId, row._id),
      ),
      forms: await removeEach(consentForms, { expiresAt: { lte: now } }, () => Promise.resolve()),
    }),
  };
};
