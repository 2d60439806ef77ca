import { expect } from 'chai';
import { clientFinder } from '#agents/oauth-clients.ts';
import { agentClientsDecider } from '#command/contexts/identity-linking/agent-client.decider.ts';
import { agentClientList } from '#contracts/agent-clients.contract.ts';
import { agentClientEvents } from '#events/agent-client.events.ts';
import { agentLinkEvents } from '#events/agent-link.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { createAgentClientReference } from '#reference/agent-clients.reference.ts';
import type { AgentClientReference } from '#reference/reference.ts';
import { max, pia } from '#test/support/agents/linking.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given, givenEvents } from '#test/support/given.ts';

const { AgentClientDisabled, AgentClientEnabled } = agentClientEvents.create;
const { AgentLinked, AgentUnlinked } = agentLinkEvents.create;

const at = '2026-11-27T09:00:00.000Z';
const reason = 'its secret has leaked';
const disabled = (clientId = 'pia') => AgentClientDisabled({ clientId, reason, at });
const enabled = (clientId = 'pia') => AgentClientEnabled({ clientId, reason: null, at });
const disable = (clientId = 'pia') => ({ type: 'DisableAgentClient', clientId, reason }) as const;
const enable = { type: 'EnableAgentClient', clientId: 'pia', reason: null } as const;

describe('a client of the shop (docs/rules/identity-linking.md#disabling)', () => {
  it('is disabled and enabled by itself, each once', () => {
    const none = given(agentClientsDecider);
    none.when(disable(), { at }).then([disabled()]);
    none.when(enable, { at }).thenNothing();
    const one = none.happened(disabled());
    one.when(disable(), { at }).thenNothing();
    one.when(disable('max'), { at }).then([disabled('max')]);
    one.when(enable, { at }).then([enabled()]);
    one.happened(enabled()).when(disable(), { at }).then([disabled()]);
  });

  it('has any name that settings can give it', () => {
    for (const name of ['__proto__', 'constructor'])
      given(agentClientsDecider, [disabled(name)])
        .when(disable(name), { at })
        .thenNothing();
  });
});

describe('how clients stand, as every process knows it (docs/rules/identity-linking.md#disabling)', () => {
  const clients = [pia, max].map((client) => ({ clientSecretHash: null, ...client }));
  const linked = (name: string, timesDisabled?: number, clientId = 'pia') =>
    AgentLinked({
      ...{ grantId: idNamed(name), clientId, profileUri: pia.profileUri, scopes: [], at },
      ...(timesDisabled !== undefined && { timesDisabled }),
    });
  const unlinked = (name: string, timesDisabled?: number) =>
    AgentUnlinked({
      ...{ grantId: idNamed(name), clientId: 'pia', reason: 'member', at },
      ...(timesDisabled !== undefined && { timesDisabled }),
    });
  const seen = (standings: AgentClientReference) => ({
    found: clients.flatMap(
      ({ clientId }) => clientFinder(clients, standings, () => undefined)(clientId) ?? [],
    ),
    rows: agentClientList(clients, standings).items,
  });
  /** After a restart too. */
  const known = (...events: readonly DomainEvent[]) =>
    seen(givenEvents(...events).foldInto(createAgentClientReference, seen));
  const linksOfPia = (...events: readonly DomainEvent[]) => known(...events).rows[0]?.links;

  it('hides a disabled one from all who look for it, and shows staff since when and why', () => {
    const { found, rows } = known(linked('one'), linked('other', 0, 'max-app'), disabled());
    expect(found.map(({ clientId }) => clientId)).to.deep.equal(['max-app']);
    expect(rows.map(({ isDisabled, links }) => [isDisabled, links])).to.deep.equal([
      [true, 0],
      [false, 1],
    ]);
    expect(rows[0]).to.deep.include({ dateDisabled: at, disabledBy: 'system', disabledReason: reason });
    expect(JSON.stringify(rows)).not.to.include(pia.clientSecretHash);
  });

  it('tells what was agreed to before a client was disabled from what was after', () => {
    const { found, rows } = known(disabled(), enabled());
    expect(found.map(({ clientId, timesDisabled }) => [clientId, timesDisabled])).to.deep.equal([
      ['pia', 1],
      ['max-app', 0],
    ]);
    expect(rows[0]).to.deep.include({ isDisabled: false, dateDisabled: null, disabledBy: null });
  });

  it('shows one that the settings do not name any more while it is linked or disabled', () => {
    const gone = linked('one', 0, 'gone');
    const [, , row] = known(gone).rows;
    expect(row).to.deep.include({ clientId: 'gone', isRegistered: false, name: 'gone', links: 1 });
    const shut = [gone, disabled('gone')];
    expect(known(...shut).rows[2]).to.deep.include({ isDisabled: true, links: 0, disabledReason: reason });
    expect(known(...shut, enabled('gone')).rows).to.have.lengthOf(2);
  });

  it('counts the links that stand', () => {
    expect(linksOfPia(linked('one'), linked('two'), unlinked('one'))).to.equal(1);
    const again = [linked('one'), disabled(), enabled(), linked('two', 1)];
    expect(linksOfPia(...again)).to.equal(1);
    expect(linksOfPia(...again, unlinked('one'))).to.equal(1);
    expect(linksOfPia(...again, unlinked('two', 1))).to.equal(0);
    expect(linksOfPia(disabled(), enabled(), linked('late'))).to.equal(0);
  });
});
