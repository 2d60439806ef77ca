import { expect } from 'chai';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import type { PublicKey } from '#agents/agent-profile.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { agentNoticesCollection, type AgentNotice } from '#topics/agent-notice.ts';
import { closeEngines, openEngines } from '../../shared-kernel/open-engines.ts';
import { everyRow } from './audit-deliveries.ts';
import type { Browser } from './browser.ts';
import { startReceiver, type Received, type Receiver } from './subscriber.ts';

/** The profile of a storm's agents, and the receiver of their notices. */
export const startStormProfile = async (admin: Browser): Promise<Receiver> => {
  const { text } = await admin.get('/.well-known/ucp-test-agent/storm');
  const receiver = await startReceiver();
  const profile = text.replaceAll(/"http[^"]*\/webhooks\/orders"/g, JSON.stringify(`${receiver.url}/orders`));
  receiver.answer((response, { path }) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(path.endsWith('/orders') ? '{}' : profile);
  });
  return receiver;
};

const idOf = ({ headers }: Received): string => String(headers['webhook-id']);

const isSigned = ({ path, headers, body }: Received, base: string, keys: readonly PublicKey[]): boolean => {
  const url = new URL(path, base).href;
  const created = Number(/created=(\d+)/.exec(String(headers['signature-input']))?.[1]);
  const findKey = (kid: string) => keys.find((key) => key.kid === kid);
  const needed = ['@method', '@authority', '@path', 'content-digest', 'webhook-id', 'webhook-timestamp'];
  const message = { method: 'POST', url, headers, body };
  return verifyMessage(message, findKey, { now: created * 1000, needed }).kind === 'verified';
};

export interface NoticeAuditOptions {
  readonly dataDir: string;
  readonly soldToAgents: readonly string[];
  readonly people: Receiver;
  /** All that were published since the storm began. */
  readonly keys: readonly PublicKey[];
}

/** Where the rows and the received notices disagree. */
const misfits = (
  rows: readonly (AgentNotice & { readonly body: string | null })[],
  { soldToAgents, people, keys }: NoticeAuditOptions,
): readonly string[] => {
  const byId = new Map(rows.map((row) => [row._id, row]));
  const came = people.received.filter(({ path }) => path.endsWith('/orders'));
  const arrived = new Set(came.map(idOf));
  const last = new Map<string, number>();
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
      const before = last.get(row.entityId) ?? 0;
      last.set(row.entityId, Math.max(before, row.position));
      return [
        ...(row.position < before ? [`notice ${row._id} came after a later one of ${row.entityId}`] : []),
        ...(row.body === null || row.body === one.body.toString()
          ? []
          : [`notice ${row._id} has other bytes`]),
        ...(isSigned(one, people.url, keys) ? [] : [`notice ${row._id} is not signed by a published key`]),
      ];
    }),
  ];
};

/**
 * Checks the notices of a shop, stopped and settled: one for each order placed, each has arrived with the bytes of its
 * row, signed by a key that was published, and no order's came out of order.
 */
export const auditNotices = async (options: NoticeAuditOptions): Promise<readonly string[]> => {
  const env = { DATA_DIR: options.dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit' };
  const config = loadConfig({ env });
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines(config.engines, { readOnly: true });
  try {
    const keys = await createSubjectKeys({ store: engines.stateStore, applicationKey });
    const texts = createPersonalTexts(keys, applicationKey);
    const rows = await everyRow<AgentNotice>(engines.stateStore, agentNoticesCollection);
    expect(rows, 'notices').to.not.be.empty;
    const bodies = await texts.openAll(rows.map(({ requestBody }) => requestBody));
    return misfits(
      rows.map((row, index) => ({ ...row, body: bodies[index] ?? null })),
      options,
    );
  } finally {
    await closeEngines(engines);
  }
};
