import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import { capability, offeredCapabilities, type CapabilitySettings } from '#agents/capabilities.ts';
import { versionOf } from '#agents/dialect-choice.ts';
import { negotiate } from '#agents/negotiate.ts';
import type { CapabilityName } from '#agents/protocol-parts.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';

/** What the shop and an agent can both do in a dialect; nothing while its profile is unknown. */
export const inCommon = (
  { identity, ownVersion }: AgentRequest,
  dialect: DialectName,
  settings: CapabilitySettings,
): readonly CapabilityName[] => {
  const theirs = identity?.capabilities ?? null;
  if (theirs === null) return [];
  const offer = {
    dialect,
    version: versionOf(ownVersion, dialect),
    capabilities: offeredCapabilities(settings, dialect),
  };
  return negotiate(offer, theirs).map(({ name }) => name);
};

type Rested = Pick<AgentSession, 'capabilities' | 'codes' | 'destinations' | 'fulfilment' | 'consent'>;

/** What an answer about a session rests on (docs/rules/agent-sessions.md#capabilities). */
export const sessionCapabilities = (
  { extensions }: Pick<CapabilitySettings, 'extensions'>,
  { capabilities, codes, destinations, fulfilment, consent }: Rested,
): readonly CapabilityName[] => {
  const known = new Set(capabilities);
  const listed = (name: CapabilityName, isOn: boolean, isUsed: boolean): readonly CapabilityName[] =>
    isOn && (isUsed || known.has(name)) ? [name] : [];
  return [
    capability.checkout,
    ...listed(capability.discount, extensions.discount, codes.length > 0),
    ...listed(capability.fulfillment, extensions.fulfillment, fulfilment !== null || destinations.length > 0),
    ...listed(capability.buyerConsent, extensions.buyerConsent, consent !== null),
    ...listed(capability.ap2Mandate, extensions.ap2Mandates, false),
  ];
};
