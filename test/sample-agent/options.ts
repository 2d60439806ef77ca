import { parseArgs } from 'node:util';

export const versions = ['2026-04-08', '2026-01-11'] as const;
export type Version = (typeof versions)[number];

export interface Options {
  /** Without a slash at the end. */
  readonly shop: string;
  readonly version: Version;
  readonly search: string;
  readonly handler: string;
  readonly token: string;
  readonly port: number;
  /** Where shops elsewhere find this agent; null: on this machine. */
  readonly publicUrl: string | null;
  /** The file of this agent's key. */
  readonly keyFile: string;
  readonly watchSeconds: number;
  /** `clientId` is what the shop calls this agent; null: no member is linked. */
  readonly link: { readonly clientId: string; readonly member: Member | null } | null;
  readonly isStrict: boolean;
}

/** Signs in and agrees in place of a person, for runs without one. */
export interface Member {
  readonly email: string;
  readonly password: string;
}

export const help = `A sample agent: finds a shop, buys one thing, and checks every signature.

  node test/sample-agent/main.ts [options]

  --shop URL          the shop (default http://localhost:4000)
  --version DATE      ${versions.join(' or ')} (default ${versions[0]})
  --search WORDS      what to buy (default "sencha")
  --handler ID        how to pay (default sandbox:card)
  --token TOKEN       what pays (default tok_success)
  --port N            where this agent has its profile and hears from the shop (default 4700)
  --public URL        its address as the shop sees it (default http://127.0.0.1:<port>)
  --key FILE          its key; made if there is none (default sample-agent.pem)
  --watch SECONDS     how long to wait for further notices at the end (default 0)
  --link              link a member first: prints a page of the shop to open in a browser
  --client ID         how the shop knows this agent when it links (default sample-agent)
  --member MAIL:WORD  with --link: sign in and agree as this member, without a browser
  --strict            exit with 1 if anything that should be signed is not
  --help              this text

The shop must allow agents on this machine: see docs/agents.md.
`;

const numberIn = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new TypeError(`--${name}: must be a whole number, not ${text}`);
};

const memberIn = (text: string | undefined): Member | null => {
  if (text === undefined) return null;
  const colon = text.indexOf(':');
  if (colon < 1)
    throw new TypeError('--member: must be an e-mail address and a password, with a colon between');
  return { email: text.slice(0, colon), password: text.slice(colon + 1) };
};

/** Null: only the help was asked for. Throws TypeError for what cannot be understood. */
export const readOptions = (args: readonly string[]): Options | null => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      shop: { type: 'string', default: 'http://localhost:4000' },
      version: { type: 'string', default: versions[0] },
      search: { type: 'string', default: 'sencha' },
      handler: { type: 'string', default: 'sandbox:card' },
      token: { type: 'string', default: 'tok_success' },
      port: { type: 'string', default: '4700' },
      public: { type: 'string' },
      key: { type: 'string', default: 'sample-agent.pem' },
      watch: { type: 'string', default: '0' },
      link: { type: 'boolean', default: false },
      client: { type: 'string', default: 'sample-agent' },
      member: { type: 'string' },
      strict: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const version = versions.find((one) => one === values.version);
  if (!version) throw new TypeError(`--version: must be ${versions.join(' or ')}, not ${values.version}`);
  return {
    shop: values.shop.replace(/\/$/, ''),
    version,
    search: values.search,
    handler: values.handler,
    token: values.token,
    port: numberIn('port', values.port),
    publicUrl: values.public?.replace(/\/$/, '') ?? null,
    keyFile: values.key,
    watchSeconds: numberIn('watch', values.watch),
    link: values.link ? { clientId: values.client, member: memberIn(values.member) } : null,
    isStrict: values.strict,
  };
};
