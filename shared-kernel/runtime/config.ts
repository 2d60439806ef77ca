import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { abandonedCheckoutSettings } from '#contracts/settings.contract.ts';
import { expectation } from '#fields/expectation.ts';
import { nearest } from '#values/nearest-name.ts';
import { services, type Service } from '#values/service.ts';
import { readEngines, readServiceEngines, type EngineChoices } from './config-engines.ts';
import { displayName, merged, treeOf, withKnownNames, type Tree } from './config-names.ts';
import { paymentsOf, type PaymentsConfig } from './config-payments.ts';
import { protocolOf, type ProtocolConfig } from './config-protocol.ts';
import { sectionAliases, sections, type Sections } from './config-sections.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All settings, validated, with defaults (docs/guides/configuration.md#plain-names). */
export interface Config extends Omit<Sections, 'checkout' | 'abandonedCheckout' | 'payments' | 'protocol'> {
  readonly isProduction: boolean;
  readonly port: number;
  /** Absolute. */
  readonly dataDir: string;
  readonly engines: EngineChoices;
  /** Imported on the first start: a file, the shipped demo store, or nothing. */
  readonly storeFile: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'demo' | 'none' };
  /** Absolute; null: none. */
  readonly hooksFile: string | null;
  /** 32 bytes; null: to be generated. */
  readonly applicationKey: Buffer | null;
  readonly backofficeApiKey: string | null;
  /** Without a slash at the end; null: that of the request. */
  readonly publicBaseUrl: string | null;
  readonly testingSecret: string | null;
  readonly allowLoopbackTargets: boolean;
  readonly logLevel: string;
  readonly payments: PaymentsConfig;
  readonly protocol: ProtocolConfig;
  readonly checkout: Omit<Sections['checkout'], 'abandonedCart'>;
}

/** The configuration is invalid; `problems` names every setting and what was expected. */
export class InvalidConfiguration extends Error {
  override readonly name = 'InvalidConfiguration';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export interface ConfigSource {
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Settings of the command line: they win over the environment, under the same names. */
  readonly overrides?: Environment;
  /** A service that runs on its own: it requires more settings, and has its own port. */
  readonly service?: Service;
}

/** Reads file and environment. Throws `InvalidConfiguration` with all problems at once. */
export const loadConfig = (source: ConfigSource = {}): Config => {
  const env = { ...(source.env ?? process.env), ...source.overrides };
  const problems: string[] = [];
  const isProduction = env['NODE_ENV'] === 'production';
  const plain = readPlain(env, isProduction, source.service ?? null, problems);
  const given = readSections(env, problems) ?? sections.parse({});
  const { checkout: checkoutSection, abandonedCheckout, ...read } = given;
  const { abandonedCart, ...checkout } = checkoutSection;
  const store = { ...read.store, ...abandonedCheckoutSettings({ ...abandonedCheckout, ...abandonedCart }) };
  const payments = paymentsOf(read, isProduction, problems);
  const protocol = protocolOf(read, { isProduction, publicBaseUrl: plain.publicBaseUrl }, problems);
  if (problems.length > 0) throw new InvalidConfiguration(problems);
  return { ...read, ...plain, isProduction, payments, protocol, checkout, store };
};

type Plain = Omit<Config, keyof Sections | 'isProduction'>;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Settings without a section. */
const readPlain = (
  env: Environment,
  isProduction: boolean,
  service: Service | null,
  problems: string[],
): Plain => {
  const dataDir = resolve(given(env, 'DATA_DIR') ?? './data');
  const testingSecret = given(env, 'TESTING_SECRET');
  const allowLoopbackTargets = flagOf(env, 'ALLOW_LOOPBACK_TARGETS', problems);
  if (isProduction && testingSecret !== null)
    problems.push('TESTING_SECRET: refused when NODE_ENV=production');
  if (isProduction && allowLoopbackTargets)
    problems.push('ALLOW_LOOPBACK_TARGETS: refused when NODE_ENV=production');
  const logLevel = given(env, 'LOG_LEVEL') ?? 'info';
  if (!logLevels.includes(logLevel)) problems.push(`LOG_LEVEL: must be one of ${logLevels.join(', ')}`);
  const engines = readEngines((name) => given(env, name), dataDir, problems);
  if (service) requireShared(env, service, problems);
  return {
    port: portOf(env, service, problems),
    dataDir,
    engines: service ? readServiceEngines(service, engines, problems) : engines,
    storeFile: storeFileOf(given(env, 'STORE_FILE')),
    hooksFile: pathOf(given(env, 'HOOKS_FILE')),
    applicationKey: applicationKeyOf(env, problems),
    backofficeApiKey: apiKeyOf(env, problems),
    publicBaseUrl: baseUrlOf(env, problems),
    testingSecret,
    allowLoopbackTargets,
    logLevel,
  };
};

/** An empty variable counts as missing. */
const given = (env: Environment, name: string): string | null => env[name]?.trim() || null;

/** Settings that one process may generate or guess, but that separate processes must share. */
const requireShared = (env: Environment, service: Service, problems: string[]): void => {
  const wanted = {
    APPLICATION_KEY: '32 bytes in base64',
    BACKOFFICE_API_KEY: 'at least 16 characters without spaces',
    PUBLIC_BASE_URL: 'the address of the gateway',
  };
  for (const [name, what] of Object.entries(wanted)) {
    if (given(env, name) === null)
      problems.push(`${name}: must be ${what}: the ${service} service on its own shares it with the others`);
  }
};

const PORT_OF_ALL = 4000;

/** 4000 for all in one process; 4001, 4002 and 4003 for the services on their own. */
const portOf = (env: Environment, service: Service | null, problems: string[]): number => {
  const byDefault = PORT_OF_ALL + (service ? services.indexOf(service) + 1 : 0);
  const text = given(env, 'PORT') ?? String(byDefault);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) problems.push('PORT: must be a number from 0 to 65535');
  return port;
};

const flagOf = (env: Environment, name: string, problems: string[]): boolean => {
  const text = given(env, name)?.toLowerCase() ?? 'false';
  if (text !== 'true' && text !== 'false') problems.push(`${name}: must be true or false`);
  return text === 'true';
};

const storeFileOf = (name: string | null): Config['storeFile'] => {
  if (name === null) return { kind: 'demo' };
  return name.toLowerCase() === 'none' ? { kind: 'none' } : { kind: 'file', path: resolve(name) };
};

const pathOf = (name: string | null): string | null => (name === null ? null : resolve(name));

const applicationKeyOf = (env: Environment, problems: string[]): Buffer | null => {
  const text = given(env, 'APPLICATION_KEY');
  if (text === null) return null;
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) problems.push('APPLICATION_KEY: must be 32 bytes in base64');
  return key;
};

const apiKeyOf = (env: Environment, problems: string[]): string | null => {
  const key = given(env, 'BACKOFFICE_API_KEY');
  if (key !== null && !/^\S{16,}$/.test(key))
    problems.push('BACKOFFICE_API_KEY: must be at least 16 characters without spaces');
  return key;
};

const baseUrlOf = (env: Environment, problems: string[]): string | null => {
  const text = given(env, 'PUBLIC_BASE_URL');
  if (text === null) return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    problems.push('PUBLIC_BASE_URL: must be an http or https address');
  return text.replace(/\/+$/, '');
};

/** Reads sections of the file, overridden by the environment. Null if invalid. */
const readSections = (env: Environment, problems: string[]): Sections | null => {
  const named = (tree: Tree, isText: boolean): Tree =>
    withKnownNames(sections, tree, { problems, isText, aliases: sectionAliases }) as Tree;
  const fromFile = named(readFile(given(env, 'CONFIG_FILE'), problems), false);
  const fromEnvironment = named(environmentTree(env, problems), true);
  const checked = sections.safeParse(merged(fromFile, fromEnvironment), { error: expectation });
  if (checked.success) return checked.data;
  for (const { path, message } of checked.error.issues)
    problems.push(`${displayName(path.map(String))}: ${message}`);
  return null;
};

const readFile = (file: string | null, problems: string[]): Tree => {
  if (file === null) return {};
  try {
    const content: unknown = parseYaml(readFileSync(file, 'utf8'));
    if (content === null) return {};
    if (typeof content === 'object' && !Array.isArray(content)) return content as Tree;
    problems.push(`CONFIG_FILE: ${file} should hold an object with sections`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(`CONFIG_FILE: ${file} cannot be read: ${reason}`);
  }
  return {};
};

const sectionNames = [...Object.keys(sections.shape), ...Object.keys(sectionAliases)];

/** The variables `Section__key`. Other programs use two underscores too, so a section unlike any of ours is ignored. */
const environmentTree = (env: Environment, problems: string[]): Tree => {
  const entries: (readonly [readonly string[], string])[] = [];
  for (const [name, value] of Object.entries(env)) {
    const path = name.split('__');
    const [section = ''] = path;
    if (value === undefined || path.length < 2 || path.includes('')) continue;
    const best = nearest(section, sectionNames);
    if (best.distance === 0) entries.push([path, value]);
    else if (best.distance <= 2)
      problems.push(`${name}: there is no such section; the nearest is ${displayName([best.name])}`);
  }
  return treeOf(entries);
};
