import { createSignAnswer } from '#http/sign-answer.ts';
import { signatureCheck } from '#http/agent-signature.ts';
import { agentKey } from '#test/support/agents/agent-key.ts';
import { compareLoads } from './compare-loads.ts';
import { median, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import { signedRequest } from './signing-agent.ts';
import { stock } from './stocked-shop.ts';
import { benchStore } from './store.ts';

const PRODUCTS = 1000;
const AGENTS = 16;
const SHARE = 0.75;
const SIGN_MS = 0.1;
const VERIFY_MS = 0.2;
/** As long as a checkout of three lines. */
const ANSWER_BYTES = 6000;
const REQUEST_BYTES = 600;

/** No limits: all agents share one address here. */
const settings = {
  ALLOW_LOOPBACK_TARGETS: 'true',
  Protocol__Ucp__RateLimits__UnsignedPerAddressPerMinute: '0',
  Protocol__Ucp__RateLimits__RequestsPerMinute: '0',
  Protocol__Ucp__RateLimits__CompletesPerMinute: '0',
  Protocol__Ucp__OpenSessionsPerAddress: '0',
  Protocol__Ucp__OpenSessionsPerAgent: '0',
};

const timed = (work: string, reachMs: number, turns: number, act: () => void): Figure => {
  const taken: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now();
    act();
    taken.push(performance.now() - begun);
  }
  const p50 = median(taken);
  return {
    work: `${work}, of the event loop: p50`,
    measured: `${p50.toFixed(3)} ms`,
    reach: `under ${reachMs} ms`,
    isReached: p50 < reachMs,
  };
};

const loopRows = (turns: number): readonly Figure[] => {
  const key = agentKey('bench-key-1');
  const signAnswer = createSignAnswer({ ownKeys: { signer: () => key }, now: Date.now });
  const reply = {
    status: 200,
    text: 'x'.repeat(ANSWER_BYTES),
    headers: { 'Content-Type': 'application/json' },
    signedAs: 'message',
  } as const;
  const baseUrl = 'https://shop.example';
  const url = `${baseUrl}/api/v1/checkout-sessions/0199d0a5-5d2e-7c7a-8f5a-3f1f2c9d8e7b/complete`;
  const agent = { profile: 'https://agent.example/profile', version: null };
  const message = signedRequest(url, agent.profile, Buffer.alloc(REQUEST_BYTES, 'x'), key);
  const header = (name: string) => message.headers[name] as string | undefined;
  const version = '2026-04-08';
  const verify = (): void => {
    const check = signatureCheck({ header, message, baseUrl }, version, agent, Date.now());
    if (check?.(() => key.published).kind !== 'verified') throw new Error('a signature does not hold');
  };
  return [
    timed('signing an answer of 6 KB', SIGN_MS, turns, () => signAnswer({ ...reply })),
    timed('verifying a request', VERIFY_MS, turns, verify),
  ];
};

/** What signatures cost: by themselves, and agents who buy (docs/rules/agent-signatures.md). */
export const measureAgentSignatures = async (bench: Bench): Promise<Figure[]> => {
  const figures: Figure[] = [];
  const found = (figure: Figure): void => {
    figures.push(figure);
    bench.tell(figure);
  };
  loopRows(bench.isQuick ? 1000 : 20_000).forEach(found);
  const store = benchStore(PRODUCTS);
  const signing = await stock(bench, 'signing', store, settings);
  const silent = await stock(bench, 'not-signing', store, {
    ...settings,
    Protocol__Ucp__SignResponses: 'false',
  });
  try {
    found(
      await compareLoads(bench, {
        row: 'agent-signatures',
        work: `a purchase in two calls, ${AGENTS} agents, signed and verified on both sides`,
        shoppers: AGENTS,
        measured: { ...signing, does: 'agent-signed-purchase' },
        usual: { ...silent, does: 'agent-purchase' },
        usualName: 'purchases without signatures',
        reach: SHARE,
      }),
    );
    return figures;
  } finally {
    await silent.stop();
    await signing.stop();
  }
};
