import { expect } from 'chai';
import { agentSessionEvents } from '#events/agent-session.events.ts';
import { MAX_PAGE } from '#ports/event-store.ts';
import { activityDetail } from '#projection/contexts/agent-protocol/activity/activity-detail.ts';
import { startedSession } from '#test/support/builders/agent-order.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { recordedEvents } from '#test/support/given.ts';

const { AgentSessionLinesChanged } = agentSessionEvents.create;

// docs/rules/agent-sessions.md#backoffice
describe('A session of an agent in full', () => {
  it('shows what is asked for now and the last 200 events, however often the agent has changed its mind', async () => {
    const changes = Array.from({ length: MAX_PAGE + 1 }, (_, index) =>
      AgentSessionLinesChanged({ lines: [agentLine('mug', index + 1)] }),
    );
    const events = recordedEvents([startedSession([agentLine('mug', 1)]), ...changes]);
    const pages: number[] = [];
    const detail = await activityDetail(
      {
        store: {
          readStream: (_: string, { fromRevision = 0 } = {}) => {
            const page = events.slice(fromRevision, fromRevision + MAX_PAGE);
            pages.push(page.length);
            return Promise.resolve(page);
          },
        },
        decoder: { decodeAll: (page: unknown) => Promise.resolve(page) },
        reader: {},
      } as unknown as Parameters<typeof activityDetail>[0],
      'agentSession-1',
      null,
    );
    expect(pages).to.deep.equal([MAX_PAGE, 2]);
    expect(detail.body).to.deep.include({ lines: [agentLine('mug', MAX_PAGE + 1)] });
    expect(detail.timeline).to.have.length(200);
    expect(detail.timeline.at(-1)).to.deep.include({ date: events.at(-1)?.recordedAt });
  });
});
