import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#kernel/ids.ts';
import { keyed, manage } from './requests.ts';
import type { ShopAt } from './shop.ts';
import { stormAsking } from './storm-asking.ts';

const REST_MILLISECONDS = 400;

interface Rotated<Done> {
  readonly done: Done;
  readonly rotations: number;
  readonly problems: readonly string[];
}

/** Each rotation makes a key; exactly one key signs, and agents see all of them. */
const problemsAfter = async (shop: ShopAt, rotations: number): Promise<readonly string[]> => {
  await shop.settle();
  const { items } = (await shop.admin.ask(manage.get('/agent-keys?pageSize=200'))).body;
  const keys = items as readonly { readonly kid: string; readonly state: string }[];
  const { signing_keys: published } = (await shop.admin.get('/.well-known/ucp')).body;
  const active = keys.filter(({ state }) => state === 'active').length;
  return [
    ...(keys.length === rotations + 1 ? [] : [`${keys.length} signing keys after ${rotations} rotations`]),
    ...(active === 1 ? [] : [`${active} active signing keys`]),
    ...(published.length === keys.length ? [] : [`${published.length} of ${keys.length} keys published`]),
  ];
};

/**
 * Rotates the signing keys again and again while the work goes on. Repeats each request until it is acknowledged,
 * over every kill.
 */
export const rotateDuring = async <Done>(
  shop: ShopAt,
  ready: () => Promise<void>,
  work: Promise<Done>,
  restMilliseconds = REST_MILLISECONDS,
): Promise<Rotated<Done>> => {
  let isOver = false;
  const over = work.then(
    () => undefined,
    () => undefined,
  );
  const { must } = stormAsking({ shop: { ready }, name: 'who rotates', onAcknowledged: () => undefined });
  const rotating = (async () => {
    let rotations = 0;
    while (!isOver) {
      const request = keyed(newId(), manage.post('/agent-keys/rotate', { immediately: true }));
      await must(() => shop.admin.ask(request));
      rotations++;
      await Promise.race([pause(restMilliseconds), over]);
    }
    return rotations;
  })();
  try {
    const done = await work;
    isOver = true;
    const rotations = await rotating;
    return { done, rotations, problems: await problemsAfter(shop, rotations) };
  } finally {
    isOver = true;
    await rotating.catch(() => undefined);
  }
};
