import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  LinkingClient,
  LinkingMember,
  linkingEnvironment,
  newVerifier,
  pia,
} from '#test/support/agents/linking.ts';
import { milliseconds, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { startShop } from './processes.ts';

const MEMBERS = 16;
const PER_SECOND = 300;
const P99_MS = 50;

interface Timed {
  readonly perSecond: number;
  readonly p99: number;
}

/** All members at once, each of them one request at a time. */
const timed = async (asking: readonly (() => Promise<boolean>)[]): Promise<Timed> => {
  const waited: number[] = [];
  const begun = performance.now();
  await Promise.all(
    asking.map(async (ask) => {
      for (;;) {
        const asked = performance.now();
        if (!(await ask())) return;
        waited.push(performance.now() - asked);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const sorted = waited.toSorted((one, other) => one - other);
  return { perSecond: waited.length / seconds, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
};

const figure = (work: string, { perSecond, p99 }: Timed): Figure => ({
  work: `POST /oauth/token, ${MEMBERS} members at once: ${work}`,
  measured: `${whole(perSecond)} /s, p99 ${milliseconds(p99)}`,
  reach: `at least ${whole(PER_SECOND)} /s, p99 under ${milliseconds(P99_MS)}`,
  isReached: perSecond >= PER_SECOND && p99 < P99_MS,
});

const codesOf = async (
  member: LinkingMember,
  count: number,
): Promise<readonly (readonly [string, string])[]> => {
  const codes: [string, string][] = [];
  for (let index = 0; index < count; index++) {
    const verifier = newVerifier();
    codes.push([await member.consent(pia, verifier), verifier]);
  }
  return codes;
};

const succeeded = (status: number): true => {
  if (status !== 200) throw new Error(`the token endpoint answered ${status}`);
  return true;
};

/** Agents that redeem members' codes and then use refresh tokens (docs/rules/identity-linking.md). */
export const measureOAuth = async (bench: Bench): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'oauth-tokens');
  mkdirSync(dataDir);
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
    env: { ...linkingEnvironment, Storefront__TrustedProxies: '1' },
  });
  try {
    const base = `http://127.0.0.1:${shop.port}`;
    const agent = new LinkingClient(base, pia);
    const members: LinkingMember[] = [];
    for (let index = 0; index < MEMBERS; index++) {
      const member = new LinkingMember(base);
      member.from = `10.0.0.${index}`;
      await member.signUp(`ada${index}@example.com`);
      members.push(member);
    }
    const codes = await Promise.all(members.map((member) => codesOf(member, bench.isQuick ? 20 : 60)));
    const redeemed = await timed(
      codes.map((own) => {
        const left = [...own];
        return async () => {
          const [code, verifier] = left.pop() ?? [];
          if (code === undefined || verifier === undefined) return false;
          return succeeded((await agent.redeem(code, verifier)).status);
        };
      }),
    );
    const tokens = await Promise.all(members.map((member) => agent.link(member)));
    const until = performance.now() + (bench.isQuick ? 2000 : 10_000);
    const refreshed = await timed(
      tokens.map(({ refresh_token: first }) => {
        let token = first;
        return async () => {
          if (performance.now() > until) return false;
          const { status, body } = await agent.refresh(token);
          token = body.refresh_token;
          return succeeded(status);
        };
      }),
    );
    return [figure('codes', redeemed), figure('refresh tokens, each good once', refreshed)];
  } finally {
    await shop.stop();
  }
};
