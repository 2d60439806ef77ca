import { z } from 'zod';
import { abandonedCheckoutInput, storeSettingsInput } from '#contracts/settings.contract.ts';
import { isRedirectAddress } from '#values/redirect-address.ts';
import { isReturnHost } from '#values/return-address.ts';
import { isWebAddress } from '#values/web-address.ts';
import { originProblem } from '#values/web-origin.ts';

const count = z.int().min(0);
const positive = z.int().min(1);
const flag = (byDefault: boolean) => z.boolean().default(byDefault);
/** As a header can carry it. */
const visible = z.string().regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters');
const section = <const Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).prefault({} as never);

/** Outbound webhooks (docs/rules/settings.md#sections). */
const webhooks = section({
  maxRetries: count.default(5),
  /** The last delay repeats; if empty, one minute (docs/rules/webhooks.md#attempts). */
  retryDelaysSeconds: z.array(count).default([60, 300, 900, 3600, 14_400]),
  deliveryIntervalSeconds: positive.default(10),
  defaultTimeoutSeconds: positive.default(30),
  maxPayloadSizeBytes: positive.default(1_000_000),
  deliveryLogRetentionDays: positive.default(30),
  /** Allows private addresses as targets: for tests only (docs/rules/webhooks.md#targets). */
  allowPrivateTargets: flag(false),
  /** Where staff are told of webhooks that fail (docs/rules/webhooks.md#telling-staff). */
  operator: section({
    url: z.string().refine(isWebAddress, 'must be an http or https address').nullable().default(null),
    secret: z
      .string()
      .regex(/^[A-Za-z0-9+/]{32,86}={0,2}$/, 'must be base64 of 24 to 64 bytes')
      .nullable()
      .default(null),
  }).refine(({ url, secret }) => (url === null) === (secret === null), {
    path: ['secret'],
    message: 'must be there with Url, and only then',
  }),
});

/** An agent that members may link (docs/rules/identity-linking.md#clients). */
const oauthClient = z.object({
  clientId: z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
  /** Null: a client that cannot keep a secret. */
  clientSecretHash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits in lower case')
    .nullable()
    .default(null),
  redirectUris: z
    .array(
      z
        .string()
        .refine(
          isRedirectAddress,
          'must be an https address, http on 127.0.0.1 or [::1], or one with the scheme of an app (com.example.app:/…), without a fragment',
        ),
    )
    .min(1),
  name: z.string().min(1).max(100),
  /** The profile that the agent sends in UCP-Agent. */
  profileUri: z.string().min(1).max(2000),
});

const oauthClients = z
  .array(oauthClient)
  .default([])
  .refine((clients) => new Set(clients.map(({ clientId }) => clientId)).size === clients.length, {
    message: 'must name each ClientId once',
  });

const ucpLimits = section({
  maxLineItems: positive.default(200),
  maxQuantity: positive.default(9_999_999),
  maxDiscountCodes: positive.default(20),
  maxCatalogLookup: positive.default(50),
  maxPageSize: positive.default(50),
  maxBodyBytes: positive.default(262_144),
});

/** The agent protocol (docs/rules/settings.md#sections). */
const ucp = section({
  version: z.string().default('2026-04-08'),
  allowedAgents: z.array(z.string()).default(['*']),
  signingKeyRotationDays: count.default(90),
  webhookTimeoutSeconds: positive.default(30),
  capabilities: section({
    checkout: flag(true),
    order: flag(true),
    identityLinking: flag(false),
    cart: flag(true),
    catalog: flag(true),
  }),
  extensions: section({
    discount: flag(true),
    fulfillment: flag(true),
    buyerConsent: flag(true),
    ap2Mandates: flag(false),
  }),
  profileResolution: z.enum(['lenient', 'strict']).default('lenient'),
  requireSignature: flag(false),
  signResponses: flag(true),
  /** Unpaid orders of a signed agent at once; 0: no limit. */
  openInvoicesPerAgent: count.default(1000),
  /** Sessions of a signed agent that are not over, and as many carts; 0: no limit (docs/rules/agents.md#limits). */
  openSessionsPerAgent: count.default(100_000),
  /** The same of all others, by address. */
  openSessionsPerAddress: count.default(10_000),
  sessionTtlMinutes: positive.default(360),
  cartTtlMinutes: positive.default(1440),
  idempotencyTtlHours: z.int().min(24).default(48),
  requireBuyerEmail: flag(false),
  strictAddressValidation: flag(false),
  storedAddressInjection: z.enum(['linked', 'all', 'off']).default('linked'),
  allowInsecureLoopback: flag(false),
  schemaBaseUrl: z
    .string()
    .refine(isWebAddress, 'must be an http or https address')
    .transform((text) => text.replace(/\/+$/, ''))
    .default('https://ucp.dev'),
  /** Null: on, but for production. */
  testAgentEnabled: z.boolean().nullable().default(null),
  testEndpoints: section({ enabled: flag(false), simulationSecret: visible.default('') }),
  profileFetchTimeoutMs: positive.default(3000),
  profileCacheSeconds: z.int().min(60).default(300),
  profileCacheSize: positive.default(500),
  limits: ucpLimits,
  /** Counted per process; 0: no limit (docs/rules/agents.md#limits). */
  rateLimits: section({
    /** Signed requests of a profile. */
    requestsPerMinute: count.default(6000),
    /** Signed payments of a profile. */
    completesPerMinute: count.default(600),
    /** All others, by address. */
    unsignedPerAddressPerMinute: count.default(600),
    profileFetchesPerMinute: count.default(60),
  }),
  oAuth: section({ clients: oauthClients }),
});

/** 1.2, Tls12 and TLSv1.2 are the same. */
const tlsVersion = (text: string, context: z.RefinementCtx): '' | '1.2' | '1.3' => {
  if (text === '') return '';
  const [, minor] = /^(?:tls ?v?)?1\.?([23])$/i.exec(text) ?? [];
  if (minor === '2' || minor === '3') return `1.${minor}`;
  context.addIssue({ code: 'custom', message: 'must be 1.2, 1.3 or empty' });
  return '';
};

const protocol = section({
  manifestCacheDurationMinutes: count.default(60),
  requireHttps: flag(false),
  /** A number is what YAML makes of 1.2. */
  minimumTlsVersion: z.coerce.string().transform(tlsVersion).default(''),
  publicBaseUrl: z
    .string()
    .refine((text) => text === '' || isWebAddress(text), 'must be an http or https address')
    .transform((text) => text.replace(/\/+$/, ''))
    .default(''),
  ucp,
});

/** A year: waiting longer would keep goods from other shoppers. */
const MAX_HOLD_MINUTES = 366 * 24 * 60;

/** Payments (docs/rules/payments.md#production). */
const payments = section({
  /** The default depends on whether this is production. */
  providers: z.array(z.string()).nullable().default(null),
  /** Lets a production shop accept test cards, and so sell without money. */
  allowSandboxInProduction: flag(false),
  manual: section({
    /** In production: whether shoppers may promise a payment, which staff confirm once it arrives. */
    forShoppers: flag(false),
    holdMinutes: z.int().min(1).max(MAX_HOLD_MINUTES).default(10_080),
  }),
  /** Per provider and address; 0: no limit. */
  callbacksPerMinute: count.default(60),
  sandbox: section({
    /** The provider signs callbacks with it; null: the backoffice may set it. */
    webhookSecret: z.string().min(1).nullable().default(null),
    capture: z.enum(['automatic', 'manual']).nullable().default(null),
  }),
  /** Null: the backoffice may set it. */
  stripe: section({
    secretKey: z.string().min(1).nullable().default(null),
    publishableKey: z.string().min(1).nullable().default(null),
    webhookSecret: z.string().min(1).nullable().default(null),
    capture: z.enum(['automatic', 'manual']).nullable().default(null),
    /** Set only here, so that staff cannot redirect payments. Null: Stripe's own address. */
    apiBaseUrl: z.string().refine(isWebAddress, 'must be an http or https address').nullable().default(null),
  }),
});

const isMailServer = (text: string): boolean => /^smtps?:\/\/[^/]/i.test(text) && URL.canParse(text);
const isSender = (text: string): boolean => /^[^\s@<>]+@[^\s@<>]+$|^[^<>@]+<[^\s@<>]+@[^\s@<>]+>$/.test(text);

/** Mail (docs/guides/configuration.md#mail). */
const mail = section({
  smtp: section({
    /** Includes the credential; null: mails are files under DATA_DIR. */
    url: z.string().refine(isMailServer, 'must be an smtp or smtps address').nullable().default(null),
    /** The sender of all mails; null if they are only files. */
    from: z.string().refine(isSender, 'must be an e-mail address').nullable().default(null),
  }).refine(({ url, from }) => url === null || from !== null, {
    path: ['from'],
    message: 'must be the e-mail address that sends',
  }),
  /** Who is told when the shop itself needs attention; null: the sender. */
  operatorEmail: z.email().nullable().default(null),
  maxRetries: count.default(3),
  retryDelaysSeconds: z.array(count).min(1).default([60, 300, 900]),
  deliveryLogRetentionDays: positive.default(30),
});

const downloads = section({
  /** Signs download links; generated when missing. */
  downloadTokenSecret: z.string().min(32).nullable().default(null),
  requestsPerMinute: positive.default(30),
});

const webOrigin = z.string().superRefine((text, context) => {
  const message = originProblem(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

const storefront = section({
  /** Whose pages may call as shoppers do (docs/rules/other-origins.md). */
  allowedOrigins: z.array(webOrigin).default([]),
  addressSuggestionsPerMinute: positive.default(30),
  addressResolvesPerMinute: positive.default(20),
  /** Upsell events per minute from one address; 0: no limit (docs/rules/upsell-performance.md#events). */
  upsellEventsPerMinute: count.default(600),
  /** Answers kept for shoppers at one address; 0: no limit (docs/rules/management.md#repeats). */
  keptAnswersPerMinute: count.default(120),
  /** Further hosts that a payment may return to (docs/rules/checkout.md#return-addresses). */
  allowedReturnHosts: z
    .array(z.string().refine(isReturnHost, 'must be a host such as shop.example.com or localhost:3000'))
    .default([]),
  memberTokenHours: z.number().positive().max(8760).default(24),
  /** The number of proxies in front that are trusted with the caller's address, scheme and host. */
  trustedProxies: count.default(0),
  cookies: section({ secure: z.union([z.boolean(), z.literal('auto')]).default('auto') }),
});

const backoffice = section({
  tokenHours: z.number().positive().default(8),
  signInAttemptsPerMinute: positive.default(10),
});

/** Exchange rates (docs/rules/currency.md#providers). */
const exchangeRates = section({
  /** Null: the backoffice chooses; manual until then. */
  provider: z.enum(['manual', 'frankfurter']).nullable().default(null),
  /** Address of the HTTP provider, without /latest; null: what the backoffice has set, else the public service. */
  url: z.string().refine(isWebAddress, 'must be an http or https address').nullable().default(null),
  refreshIntervalMinutes: positive.default(60),
});

/** Fulfilment providers (docs/rules/fulfilment.md#settings). */
const fulfilment = section({
  /** How often providers are asked for the status of their orders. */
  pollingIntervalMinutes: positive.default(15),
  maxRetryAttempts: positive.default(5),
  /** The last delay repeats. */
  retryDelaysMinutes: z.array(positive).min(1).default([5, 15, 30, 60, 120]),
  syncLogRetentionDays: positive.default(30),
  webhookLogRetentionDays: positive.default(7),
  /** Per provider and address; 0: no limit. */
  callbacksPerMinute: count.default(60),
});

/** Reminders of unpaid invoices (docs/rules/account-terms.md#reminders). */
const invoiceReminders = section({
  reminderDaysBeforeDue: count.max(365).default(7),
  overdueReminderIntervalDays: positive.max(365).default(7),
  maxOverdueReminders: count.max(100).default(3),
  checkIntervalHours: positive.max(8760).default(24),
});

/** Readiness of a process. */
const health = section({
  /** A read model further behind the log makes the process unready. */
  maxLagSeconds: positive.default(30),
});

/** Every section that CONFIG_FILE and the environment may set (docs/rules/settings.md#sections). */
export const sections = z.object({
  webhooks,
  /** Settings of the store under a name of their own. */
  abandonedCheckout: abandonedCheckoutInput.prefault({}),
  protocol,
  store: storeSettingsInput.prefault({}),
  payments,
  mail,
  downloads,
  storefront,
  backoffice,
  exchangeRates,
  invoiceReminders,
  tax: section({
    /** Null: the backoffice chooses (docs/rules/tax.md#providers). */
    provider: z.string().nullable().default(null),
  }),
  /** Address lookup (docs/rules/address-lookup.md#providers). */
  addressLookup: section({
    /** Null: the backoffice chooses; built-in until then. */
    provider: z.enum(['built-in', 'http', 'none']).nullable().default(null),
    /** Address of the HTTP provider; null: what the backoffice has set. */
    url: z.string().refine(isWebAddress, 'must be an http or https address').nullable().default(null),
  }),
  fulfilment,
  health,
  checkout: section({
    /** Unpaid invoices per client address; 0: no limit. */
    openInvoicesPerAddress: count.default(20),
    /** An order is large above this many unpaid units at a client address; 0: none is. */
    heldUnitsPerAddress: count.default(50),
    /** New customers per client address and minute; 0: no limit. */
    newCustomersPerMinute: count.default(10),
    /** How long a large order is held. */
    largeHoldMinutes: count.min(1).default(10),
    /** The same settings as AbandonedCheckout; these win (docs/rules/settings.md#sections). */
    abandonedCart: abandonedCheckoutInput.prefault({}),
  }),
});
export type Sections = z.output<typeof sections>;

/** Other names of sections. */
export const sectionAliases: Readonly<Record<string, string>> = { protocols: 'protocol' };
