import type { Command } from 'commander';
import type { AgentClientPage, AgentClientRow } from '#contracts/agent-clients.contract.ts';
import { defined } from '#kernel/defined.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { withRunningShop } from './with-running-shop.ts';

interface Why {
  readonly reason: string;
}

/** The agents that members of a running shop can link. */
export const addAgents = (program: Command): void => {
  const agents = program
    .command('agents')
    .description('The agents that members of the running shop can link');
  agents
    .command('list')
    .description('List them: their ids, names and links, and which are disabled')
    .action(() => withRunningShop(listAgents));
  agents
    .command('disable <clientId>')
    .description('End all that an agent may do for members: every token is dead within a second, for good')
    .requiredOption('--reason <text>', 'why, for the log')
    .action((clientId: string, { reason }: Why) =>
      withRunningShop((shop) => disableAgent(shop, clientId, reason)),
    );
  agents
    .command('enable <clientId>')
    .description('Let a disabled agent ask members again')
    .option('--reason <text>', 'why, for the log')
    .action((clientId: string, { reason }: Partial<Why>) =>
      withRunningShop((shop) => enableAgent(shop, clientId, reason)),
    );
};

type Caller = Pick<RunningShop, 'call'>;

const NONE = 'Members can link no agent: the setting Protocol.Ucp.OAuth.Clients names none.\n';

const standingOf = ({ isRegistered, links, dateDisabled, disabledReason }: AgentClientRow): string => {
  const linked = `${links} ${links === 1 ? 'link' : 'links'}`;
  const standing = dateDisabled === null ? linked : `disabled ${dateDisabled}: ${disabledReason}`;
  return isRegistered ? standing : `not in the settings, ${standing}`;
};

const printed = (row: AgentClientRow): string => `${row.clientId}  ${row.name}  ${standingOf(row)}\n`;

export const listAgents = async (shop: Caller): Promise<string> => {
  let lines = '';
  for (let page = 1; ; page++) {
    const asked = await shop.call('GET', `/agent-clients?pageSize=200&page=${page}`);
    const { items, hasNextPage } = asked as AgentClientPage;
    lines += items.map(printed).join('');
    if (!hasNextPage) return lines || NONE;
  }
};

const change = async (shop: Caller, clientId: string, what: string, body: object): Promise<string> =>
  printed(
    (await shop.call(
      'POST',
      `/agent-clients/${encodeURIComponent(clientId)}/${what}`,
      body,
    )) as AgentClientRow,
  );

export const disableAgent = (shop: Caller, clientId: string, reason: string): Promise<string> =>
  change(shop, clientId, 'disable', { reason });

export const enableAgent = (shop: Caller, clientId: string, reason?: string): Promise<string> =>
  change(shop, clientId, 'enable', defined({ reason }));
