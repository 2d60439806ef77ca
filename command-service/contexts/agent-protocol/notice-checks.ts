import { summaryOf, type Finding, type ShopCheck } from '#command/engine/shop-check.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';

export interface NoticeCheckDeps {
  /** The last notice that each receiver let be given up; null for one that has taken a later one. */
  readonly failingReceivers: () => AsyncIterable<AgentNotice | null>;
}

const findingOf = ({ _id: id, agent, targetUrl, errorMessage }: AgentNotice): Finding => ({
  id,
  name: agent,
  description: `${targetUrl}: ${errorMessage}`,
  editPath: `/agent-deliveries/${id}`,
  imageUrl: null,
});

/** Agents that cannot be told of their orders (docs/rules/agent-notices.md#receivers-that-fail). */
export const noticeChecks = ({ failingReceivers }: NoticeCheckDeps): readonly ShopCheck[] => [
  {
    alias: 'agent-notices-failing',
    name: 'Agents that cannot be told',
    description:
      'Addresses of agents to which notices of orders were given up, and that have taken none since.',
    icon: 'icon-wifi',
    sortOrder: 510,
    severity: 'warning',
    summary: summaryOf(
      'agent does not take notices of its orders',
      'agents do not take notices of their orders',
      'Agents take the notices of their orders.',
    ),
    async *look(): AsyncIterable<Finding | null> {
      for await (const notice of failingReceivers()) yield notice && findingOf(notice);
    },
  },
];
