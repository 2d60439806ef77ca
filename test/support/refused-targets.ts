import { failureMessage } from '#topics/delivery-outcome.ts';
import type { SendOutcome } from '#ports/sender.ts';
import { createSender } from '#runtime/send.ts';
import type { ResolveHost } from '#runtime/check-target.ts';
import { spyOnSockets, startReceiver } from './receiver.ts';

/** A target that no connection may be opened to. */
interface RefusedTarget {
  readonly kind: string;
  readonly url: string;
  /** Of its name; missing where it has none. */
  readonly addresses?: readonly string[];
}

/** Each kind of address that leads into our own network (docs/rules/webhooks.md#targets). */
export const refusedTargets: readonly RefusedTarget[] = [
  { kind: 'loopback', url: 'http://127.0.0.1/' },
  { kind: 'loopback', url: 'http://localhost/' },
  { kind: 'loopback', url: 'http://[::1]/' },
  { kind: 'loopback, as a hexadecimal number', url: 'http://0x7f000001/' },
  { kind: 'loopback, as one number', url: 'http://2130706433/' },
  { kind: 'private', url: 'http://10.0.0.1/' },
  { kind: 'private', url: 'http://172.16.0.1/' },
  { kind: 'private', url: 'http://192.168.1.1/' },
  { kind: 'private', url: 'http://[fd12:3456::1]/' },
  { kind: 'shared by carriers', url: 'http://100.64.0.1/' },
  { kind: 'link-local', url: 'http://169.254.7.7/' },
  { kind: 'link-local', url: 'http://[fe80::1]/' },
  { kind: 'metadata of a cloud', url: 'http://169.254.169.254/latest/meta-data' },
  { kind: 'metadata of a cloud', url: 'http://168.63.129.16/' },
  { kind: 'metadata of a cloud', url: 'http://metadata.google.internal/' },
  { kind: 'multicast', url: 'http://224.0.0.1/' },
  { kind: 'multicast', url: 'http://[ff02::1]/' },
  { kind: 'IPv4 mapped into IPv6', url: 'http://[::ffff:10.0.0.1]/' },
  { kind: 'IPv4 to be translated', url: 'http://[64:ff9b::a00:1]/' },
  { kind: 'user information', url: 'http://user:secret@1.1.1.1/' },
  { kind: 'another scheme', url: 'ftp://example.com/' },
  { kind: 'a name of an inner address', url: 'http://inside.example.com/', addresses: ['10.0.0.1'] },
  {
    kind: 'a name, one address of which is inner',
    url: 'http://mixed.example.com/',
    addresses: ['1.1.1.1', '192.168.1.1'],
  },
];

const strict = { allowLoopback: false, allowPrivate: false };
const loopback = { allowLoopback: true, allowPrivate: false };

const resolving =
  (...turns: (readonly string[])[]): ResolveHost =>
  async () => {
    const addresses = turns.length > 1 ? turns.shift() : turns[0];
    if (!addresses) throw new Error('ENOTFOUND');
    return addresses;
  };

const attempt = async (
  url: string,
  policy: typeof strict,
  resolve: ResolveHost,
  times = 1,
): Promise<SendOutcome | undefined> => {
  const sender = createSender({ policy, resolve });
  try {
    const request = { targetUrl: url, headers: {}, body: Buffer.from('{}'), timeoutMs: 5000 };
    let outcome: SendOutcome | undefined;
    for (let time = 0; time < times; time++) outcome = await sender.send(request);
    return outcome;
  } finally {
    sender.close();
  }
};

/** What an attempt to send there came to. */
export interface Refusal {
  readonly kind: string;
  readonly url: string;
  readonly reason: string;
  /** Connections that were opened, apart from what was allowed. */
  readonly connections: number;
}

/** Sends to a target, and tells why that failed. */
export const refusalOf = async ({ kind, url, addresses }: RefusedTarget): Promise<Refusal> => {
  const sockets = spyOnSockets();
  try {
    const resolve = addresses ? resolving(addresses) : resolving();
    const outcome = await attempt(url, strict, resolve);
    const reason = outcome ? failureMessage(outcome) : '';
    return { kind, url, reason, connections: sockets.opened() };
  } finally {
    sockets.stop();
  }
};

/** A receiver that may be called, and would lead inside by a redirect, or by what its name stands for later. */
export const detours = async (): Promise<readonly Refusal[]> => {
  const inside = 'http://169.254.169.254/';
  const receiver = await startReceiver((response, { path }) => {
    response.writeHead(path === '/moved' ? 302 : 200, { Location: inside }).end('ok');
  });
  const detour = async (kind: string, url: string, resolve: ResolveHost, times: number): Promise<Refusal> => {
    const [sockets, before] = [spyOnSockets(), receiver.connections()];
    const outcome = await attempt(url, loopback, resolve, times);
    const connections = sockets.opened() - (receiver.connections() - before);
    sockets.stop();
    return { kind, url, reason: outcome ? failureMessage(outcome) : '', connections };
  };
  try {
    const { port } = new URL(receiver.url);
    return [
      await detour('a redirect inside', `${receiver.url}/moved`, resolving(), 1),
      await detour(
        'a name that leads inside the second time',
        `http://hooks.example.com:${port}/`,
        resolving(['127.0.0.1'], ['169.254.169.254']),
        2,
      ),
    ];
  } finally {
    await receiver.close();
  }
};
