import type { Command } from 'commander';
import type { AgentClientPage } from '#contracts/agent-clients.contract.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { withRunningShop } from './with-running-shop.ts';

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
    .action((clientId: string, { reason }: { readonly reason: string }) =>
      withRunningShop((shop) => disableAgent(shop, clientId, reason)),
    );
  agents
    .command('enable <clientId>')
    .description('Let a disabled agent ask members again')
    .action((clientId: string) => withRunningShop((shop) => enableAgent(shop, clientId)));
};

type Caller = Pick<RunningShop, 'call'>;

const printed = (answer: unknown): string =>
  (answer as AgentClientPage).items
    .map(({ clientId, name, links, dateDisabled, disabledReason }) => {
      const standing =
        dateDisabled === null ? `${links} links` : `disabled ${dateDisabled}: ${disabledReason}`;
      return `${clientId}  ${name}  ${standing}\n`;
    })
    .join('');

export const listAgents = async (shop: Caller): Promise<string> =>
  printed(await shop.call('GET', '/agent-clients?pageSize=200'));

const pathOf = (clientId: string): string => `/agent-clients/${encodeURIComponent(clientId)}`;

export const disableAgent = async (shop: Caller, clientId: string, reason: string): Promise<string> =>
  printed(await shop.call('POST', `${pathOf(clientId)}/disable`, { reason }));

export const enableAgent = async (shop: Caller, clientId: string): Promise<string> =>
  printed(await shop.call('POST', `${pathOf(clientId)}/enable`, {}));
