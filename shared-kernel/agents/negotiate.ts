import type { AgentCapability } from './agent-profile.ts';
import type { DialectName } from './agent-request.ts';
import type { OfferedCapability } from './capabilities.ts';

type Negotiable = Pick<OfferedCapability, 'name' | 'parents'>;

/** What the shop offers, in the one version in which it does. */
export interface Offer<Offered extends Negotiable> {
  readonly dialect: DialectName;
  readonly version: string;
  readonly capabilities: readonly Offered[];
}

const withoutOrphans = <Offered extends Negotiable>(kept: readonly Offered[]): readonly Offered[] => {
  const names = new Set<string>(kept.map(({ name }) => name));
  const left = kept.filter(({ parents }) => parents.length === 0 || parents.some((one) => names.has(one)));
  return left.length === kept.length ? kept : withoutOrphans(left);
};

/**
 * What both sides can do (docs/rules/agents.md#negotiation). An agent that names versions of a capability must name the
 * shop's; a draft is compared with none.
 */
export const negotiate = <Offered extends Negotiable>(
  { dialect, version, capabilities }: Offer<Offered>,
  agent: readonly Pick<AgentCapability, 'name' | 'version'>[],
): readonly Offered[] => {
  const known = new Set(
    agent
      .filter((one) => dialect === 'draft' || one.version === null || one.version === version)
      .map(({ name }) => name),
  );
  return withoutOrphans(capabilities.filter(({ name }) => known.has(name)));
};
