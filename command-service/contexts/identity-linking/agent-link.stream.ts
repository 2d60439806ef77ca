import type { ShopStream } from '#command/engine/streams.ts';
import type { AgentLinkEvent } from '#events/agent-link.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { AgentLinkCommand } from './agent-link.commands.ts';
import { agentLinkDecider, type AgentLinkContext } from './agent-link.decider.ts';
import type { AgentLinks } from './agent-link.state.ts';

/** The agents of a member, under the member's id. */
export const agentLinkStream: ShopStream<AgentLinks, AgentLinkCommand, AgentLinkEvent, AgentLinkContext> = {
  decider: agentLinkDecider,
  context:
    ({ clock }) =>
    () => ({ at: isoInstant(clock.now()) }),
};
