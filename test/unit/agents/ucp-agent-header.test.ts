import { expect } from 'chai';
import { readUcpAgent } from '#agents/ucp-agent-header.ts';

const profile = 'https://agent.example/profile.json';
const nothing = { profile: null, version: null };

/** By field, what it says (docs/rules/agents.md#the-step). */
const fields: readonly (readonly [
  field: string | undefined,
  profile: string | null,
  version: string | null,
])[] = [
  [undefined, null, null],
  ['', null, null],
  [`profile="${profile}"`, profile, null],
  [`profile=${profile}`, profile, null],
  [`  profile = "${profile}" `, profile, null],
  [`profile="${profile}";version="2026-01-11"`, profile, '2026-01-11'],
  [`profile="${profile}"; version=2026-01-11`, profile, '2026-01-11'],
  [`profile=${profile};version=2026-01-11`, profile, '2026-01-11'],
  [`profile=${profile}, version="2026-01-11"`, profile, '2026-01-11'],
  [`version="2026-01-11", profile="${profile}"`, profile, '2026-01-11'],
  [`name="A, \\"B\\"; C", profile="${profile}"`, profile, null],
  [`profile="https://a.example/?q=1,2;3"`, 'https://a.example/?q=1,2;3', null],
  ['profile="https://a.example/\\"x\\\\"', 'https://a.example/"x\\', null],
  // Of a key that comes twice the last one counts (RFC 8941, 3.2).
  [`profile="https://a.example", profile="${profile}"`, profile, null],
  // A parameter of another member is not the profile.
  [`via="x";profile="${profile}"`, null, null],
  [`profile, version="2026-01-11"`, null, '2026-01-11'],
  ['profile="", version="2026-01-11"', null, '2026-01-11'],
  [`flag, profile="${profile}"`, profile, null],
  [`profile=not a uri`, 'not a uri', null],
  // No dictionary at all.
  [`profile="${profile}`, null, null],
  [`profile="${profile}" version="2026-01-11"`, null, null],
  ['"profile"', null, null],
];

describe('UCP-Agent', () => {
  for (const [field, expected, version] of fields) {
    it(`reads ${JSON.stringify(field)}`, () => {
      expect(readUcpAgent(field)).to.deep.equal({ profile: expected, version });
    });
  }

  it('says nothing, and at once, however long the nonsense in it is', () => {
    expect(readUcpAgent('='.repeat(16_000))).to.deep.equal(nothing);
    expect(readUcpAgent(`${'a;'.repeat(8000)}"`)).to.deep.equal(nothing);
  });
});
