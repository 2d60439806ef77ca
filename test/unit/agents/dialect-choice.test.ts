import { expect } from 'chai';
import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { dialectFor, dialectOfVersion, supportedVersions, versionOf } from '#agents/dialect-choice.ts';

const asked = (
  requestedVersion: string | null,
  dialect: DialectName,
  ownVersion = '2026-04-08',
): AgentRequest => ({
  identity: null,
  member: null,
  ownVersion,
  requestedVersion,
  dialect,
});

describe('The versions that a shop speaks', () => {
  it('are its own and the older one', () => {
    expect(supportedVersions('2026-04-08')).to.deep.equal(['2026-04-08', '2026-01-11']);
    expect(supportedVersions('2026-01-11')).to.deep.equal(['2026-01-11']);
  });

  it('have a dialect each, and no other version has one', () => {
    expect(dialectOfVersion('2026-04-08', '2026-04-08')).to.equal('2026-04-08');
    expect(dialectOfVersion('2026-04-08', '2026-01-11')).to.equal('2026-01-11');
    expect(dialectOfVersion('2026-04-08', '2099-01-01')).to.equal(null);
    expect(dialectOfVersion('2026-01-11', '2026-04-08')).to.equal(null);
    expect(versionOf('2026-04-08', '2026-01-11')).to.equal('2026-01-11');
  });

  it('are all in one dialect where the shop’s own is no date', () => {
    expect(dialectOfVersion('2026-07-draft', '2099-01-01')).to.equal('draft');
    expect(versionOf('2026-07-draft', 'draft')).to.equal('2026-07-draft');
    expect(dialectFor(asked('2026-01-11', 'draft', '2026-07-draft'), '2026-01-11')).to.equal('draft');
  });

  it('are chosen by the request, then by what the session has, then by the agent', () => {
    expect(dialectFor(asked('2026-04-08', '2026-04-08'), '2026-01-11')).to.equal('2026-04-08');
    expect(dialectFor(asked(null, '2026-04-08'), '2026-01-11')).to.equal('2026-01-11');
    expect(dialectFor(asked(null, '2026-01-11'), null)).to.equal('2026-01-11');
  });

  it('leave out what the shop has ceased to speak since the session began', () => {
    expect(dialectFor(asked(null, '2026-04-08'), 'draft')).to.equal('2026-04-08');
    expect(dialectFor(asked(null, '2026-01-11', '2026-01-11'), '2026-04-08')).to.equal('2026-01-11');
    expect(dialectFor(asked(null, 'draft', '2026-07-draft'), '2026-01-11')).to.equal('draft');
  });
});
