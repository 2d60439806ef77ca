import type { Sections } from './config-sections.ts';

type Given = Sections['protocol'];

/** How agents may buy here; what depends on where the shop runs is decided. */
export interface ProtocolConfig extends Omit<Given, 'ucp'> {
  readonly ucp: Omit<Given['ucp'], 'testAgentEnabled'> & { readonly testAgentEnabled: boolean };
}

/** What is for tests only, and would lay a shop open. */
const forTests = ({ ucp }: Given): readonly (readonly [name: string, isOn: boolean, value: string])[] => [
  ['TestEndpoints.Enabled', ucp.testEndpoints.enabled, 'true'],
  ['AllowInsecureLoopback', ucp.allowInsecureLoopback, 'true'],
  ['StoredAddressInjection', ucp.storedAddressInjection === 'all', 'all'],
];

/** Adds to `problems` what must not be. */
export const protocolOf = (
  { protocol }: Pick<Sections, 'protocol'>,
  { isProduction, publicBaseUrl }: { readonly isProduction: boolean; readonly publicBaseUrl: string | null },
  problems: string[],
): ProtocolConfig => {
  const { ucp } = protocol;
  const { enabled, simulationSecret } = ucp.testEndpoints;
  if (enabled && simulationSecret === '')
    problems.push('Protocol.Ucp.TestEndpoints.SimulationSecret: must be set where the test endpoints are on');
  for (const [name, isOn, value] of isProduction ? forTests(protocol) : [])
    if (isOn) problems.push(`Protocol.Ucp.${name}: ${value} is refused when NODE_ENV=production`);
  // An issuer taken from each request could be anyone's.
  if (isProduction && ucp.capabilities.identityLinking && !(protocol.publicBaseUrl || publicBaseUrl))
    problems.push(
      'Protocol.Ucp.Capabilities.IdentityLinking: needs Protocol.PublicBaseUrl or PUBLIC_BASE_URL when NODE_ENV=production',
    );
  return { ...protocol, ucp: { ...ucp, testAgentEnabled: ucp.testAgentEnabled ?? !isProduction } };
};
