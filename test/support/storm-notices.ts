import { expect } from 'chai';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import type { PublicKey } from '#agents/agent-profile.ts';
import { agentNoticesCollection, type AgentNotice } from '#topics/agent-notice.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import { noticeSigner } from './agents/signer-of.ts';
import { noticesTo, type NoticeInbox } from './agents/notice-inbox.ts';
import { everyRow } from './audit-deliveries.ts';
import type { Received } from './subscriber.ts';

const idOf = ({ headers }: Received): string => String(headers['webhook-id']);

/** What the notices of a storm must fit. */
export interface ExpectedNotices {
  readonly soldToAgents: readonly string[];
  readonly agent: Pick<NoticeInbox, 'receiver'>;
  /** All that were published since the storm began. */
  readonly keys: readonly PublicKey[];
  /**
   * The clock was moved past the window of attempts: a process that was late with one may have sent a notice again
   * after another had sent it and those that follow.
   */
  readonly mayRepeatLate?: boolean;
}

/** Where the rows and the received notices disagree. */
const misfits = (
  rows: readonly (AgentNotice & { readonly body: string | null })[],
  { soldToAgents, agent: { receiver }, keys, mayRepeatLate = false }: ExpectedNotices,
): readonly string[] => {
  const byId = new Map(rows.map((row) => [row._id, row]));
  const came = noticesTo(receiver);
  const arrived = new Set(came.map(idOf));
  const last = new Map<string, number>();
  const told = new Set<string>();
  return [
    ...soldToAgents.flatMap((id) => {
      const placed = rows.filter((row) => row.invoiceId === id && row.eventType === 'order_placed');
      return placed.length === 1 ? [] : [`${placed.length} notices say that ${id} was placed`];
    }),
    ...rows.flatMap(({ _id, status, body }) => {
      if (status === 'Succeeded') return arrived.has(_id) ? [] : [`notice ${_id} never came`];
      return status === 'Abandoned' && body === null ? [] : [`notice ${_id} is ${status}`];
    }),
    ...came.flatMap((one) => {
      const row = byId.get(idOf(one));
      if (!row) return [`notice ${idOf(one)} has no row`];
      const isLateRepeat = mayRepeatLate && told.has(row._id);
      told.add(row._id);
      const before = isLateRepeat ? 0 : (last.get(row.entityId) ?? 0);
      last.set(row.entityId, Math.max(last.get(row.entityId) ?? 0, row.position));
      return [
        ...(row.position < before ? [`notice ${row._id} came after a later one of ${row.entityId}`] : []),
        ...(row.body === null || row.body === one.body.toString()
          ? []
          : [`notice ${row._id} has other bytes`]),
        ...(noticeSigner(one, receiver.url, keys)
          ? []
          : [`notice ${row._id} is not signed by a published key`]),
      ];
    }),
  ];
};

interface NoticeAuditOptions extends ExpectedNotices {
  /** Open already; they stay open. */
  readonly engines: Pick<Engines, 'stateStore'>;
  readonly applicationKey: Buffer;
}

/**
 * Checks the notices of a shop, stopped and settled: one for each order placed, each has arrived with the bytes of its
 * row, signed by a key that was published, and no order's came out of order.
 */
export const auditNoticesOn = async ({
  engines: { stateStore },
  applicationKey,
  ...expected
}: NoticeAuditOptions): Promise<readonly string[]> => {
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const texts = createPersonalTexts(keys, applicationKey);
  const rows = await everyRow<AgentNotice>(stateStore, agentNoticesCollection);
  expect(rows, 'notices').to.not.be.empty;
  const bodies = await texts.openAll(rows.map(({ requestBody }) => requestBody));
  return misfits(
    rows.map((row, index) => ({ ...row, body: bodies[index] ?? null })),
    expected,
  );
};

/** As `auditNoticesOn`, of a shop on embedded engines. */
export const auditNotices = async (
  dataDir: string,
  expected: ExpectedNotices,
): Promise<readonly string[]> => {
  const config = loadConfig({ env: { DATA_DIR: dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit' } });
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines(config.engines, { readOnly: true });
  try {
    return await auditNoticesOn({ engines, applicationKey, ...expected });
  } finally {
    await closeEngines(engines);
  }
};
