import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defined } from '#kernel/defined.ts';
import { median, milliseconds, percent, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';
import type { LoadResult } from './load.ts';
import { startShop } from './processes.ts';
import { startLoad } from './workers.ts';

const SHOPPERS = 16;
const SIGN_INS_PER_SECOND = 200;
const ADD_P99_MS = 100;
const TRIES = 200;
/** Every try comes from another network, and so many belong to one account: no lock is met. */
const TRIES_OF_ONE = 40;
const DIFFERENCE = 0.05;
const checkout = '/api/shop/checkout';
const password = 'correct horse battery';

type ProcessCommand = (path: string, body: object, network: number, cookies?: string) => Promise<Response>;

const asking =
  (port: number): ProcessCommand =>
  (path, body, network, cookies) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Forwarded-For': `10.${(network >> 16) & 255}.${(network >> 8) & 255}.${network & 255}`,
        ...defined({ Cookie: cookies }),
      },
      body: JSON.stringify(body),
    });

const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

const billingAddress = {
  name: 'Ada Lovelace',
  addressOne: '12 High Street',
  townCity: 'Hull',
  postalCode: 'HU1 1AA',
  countryCode: 'GB',
};

const basketOf = async (port: number, productId: string): Promise<string> =>
  cookiesOf(await asking(port)('/api/shop/storefront/basket/add', { productId }, 0));

/** Accounts with these e-mail addresses, as shoppers make them. */
const register = async (port: number, productId: string, emails: readonly string[]): Promise<void> => {
  for (const email of emails) {
    const cookies = await basketOf(port, productId);
    const body = { email, password, billingAddress };
    const answer = await asking(port)(`${checkout}/addresses`, body, 0, cookies);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  }
};

const networkOf = (index: number, kind: 'known' | 'unknown'): number =>
  100_000 + index * 2 + (kind === 'known' ? 0 : 1);

/** Asks in turn for people who are known and for others; how long each took. */
const compare = async (
  ask: (email: string, network: number) => Promise<Response>,
  known: readonly string[],
) => {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let index = 0; index < TRIES; index++) {
    const email = known[Math.floor(index / TRIES_OF_ONE)] ?? '';
    const both = [
      ['known', email],
      ['unknown', `un${email}`],
    ] as const;
    // In turn first and second: what one leaves to be done must not always burden the other.
    for (const [kind, who] of index % 2 ? both : both.toReversed()) {
      const begun = performance.now();
      await (await ask(who, networkOf(index, kind))).text();
      times[kind].push(performance.now() - begun);
    }
  }
  return { known: median(times.known), unknown: median(times.unknown) };
};

const alike = async (
  work: string,
  known: readonly string[],
  ask: (email: string, network: number) => Promise<Response>,
): Promise<Figure> => {
  const medians = await compare(ask, known);
  const difference = Math.abs(medians.known - medians.unknown) / medians.known;
  return {
    work: `${work}: people who are known and others, ${TRIES} tries each`,
    measured: `${medians.known.toFixed(2)} ms and ${medians.unknown.toFixed(2)} ms, ${percent(difference)} apart`,
    reach: `under ${percent(DIFFERENCE)} apart`,
    isReached: difference < DIFFERENCE,
  };
};

/**
 * Addresses, each of a basket of its own, with a password that opens nothing and without one. Unknown people are others
 * each time: the first time makes them known.
 */
const addressesAlike = async (
  { port, productId, known }: { port: number; productId: string; known: readonly string[] },
  given: { readonly password?: string },
): Promise<Figure> => {
  const baskets = new Map<number, string>();
  for (let index = 0; index < TRIES; index++)
    for (const kind of ['known', 'unknown'] as const)
      baskets.set(networkOf(index, kind), await basketOf(port, productId));
  const work = `addresses ${given.password === undefined ? 'without a password' : 'with a wrong password'}`;
  return alike(work, known, (who, network) => {
    const email = known.includes(who) ? who : `${network}.${who}`;
    const body = { email, billingAddress, ...given };
    return asking(port)(`${checkout}/addresses`, body, network, baskets.get(network));
  });
};

/** Adds while somebody guesses at passwords, and whether answers tell who has an account by the time that they take. */
export const measureSignIns = async (bench: Bench): Promise<Figure[]> => {
  const dataDir = join(bench.folder, 'sign-in');
  mkdirSync(dataDir);
  const shop = await startShop({
    core: bench.pinning?.server ?? null,
    dataDir,
    storeFile: bench.storeFile,
    outputFile: join(dataDir, 'shop.log'),
    env: { Storefront__TrustedProxies: '1' },
  });
  const load = await startLoad(bench.pinning?.load ?? null, bench.productIds);
  try {
    const ask = asking(shop.port);
    const measureMs = bench.isQuick ? 1000 : 10_000;
    const adds = () =>
      load.run<LoadResult>({
        ...{ kind: 'load', work: 'add', port: shop.port, shoppers: SHOPPERS },
        ...{ warmUpMs: 1000, measureMs },
      });
    const quiet = await adds();
    const state = { isDone: false, sent: 0, hashed: 0 };
    const guesses: Promise<void>[] = [];
    const guessing = (async () => {
      for (const begun = performance.now(); !state.isDone; await pause(20)) {
        const wanted = ((performance.now() - begun) / 1000) * SIGN_INS_PER_SECOND;
        for (; state.sent < wanted; state.sent++) {
          const body = { email: `guess${state.sent}@example.com`, password };
          const answered = ask(`${checkout}/sign-in`, body, state.sent).then(async (answer) => {
            if (answer.status === 200) state.hashed++;
            await answer.text();
          });
          guesses.push(answered);
        }
      }
    })();
    const busy = await adds().finally(() => (state.isDone = true));
    await guessing;
    await Promise.allSettled(guesses);
    const accounts = (name: string) =>
      Array.from({ length: TRIES / TRIES_OF_ONE }, (_, index) => `${name}${index}@example.com`);
    // Wrong passwords are counted: those of the addresses are tried at others.
    const [known, others] = [accounts('ada'), accounts('bea')];
    const productId = bench.productIds[0] ?? '';
    await register(shop.port, productId, [...known, ...others]);
    const addresses = { port: shop.port, productId, known: others };
    return [
      {
        work: `adds of ${SHOPPERS} shoppers while ${SIGN_INS_PER_SECOND} sign-ins per second are tried: p99`,
        measured: `${milliseconds(busy.p99)} at ${whole(busy.perSecond)} /s, ${whole(state.hashed)} of ${whole(state.sent)} hashed; before: ${milliseconds(quiet.p99)} at ${whole(quiet.perSecond)} /s`,
        reach: `under ${ADD_P99_MS} ms`,
        isReached: busy.p99 < ADD_P99_MS,
      },
      await alike('sign-in', known, (email, network) =>
        ask(`${checkout}/sign-in`, { email, password: 'a wrong password' }, network),
      ),
      await alike('forgot-password', known, (email, network) =>
        ask(`${checkout}/forgot-password`, { email }, network),
      ),
      await alike('check-email', known, (email, network) =>
        ask(`${checkout}/check-email`, { email }, network),
      ),
      await addressesAlike(addresses, { password: 'wrong' }),
      // Who is new becomes a customer, which is written: nothing to be reached yet (docs/rules/members.md#sign-in).
      { ...(await addressesAlike(addresses, {})), reach: '', isReached: null },
    ];
  } finally {
    await load.stop();
    await shop.stop();
  }
};
