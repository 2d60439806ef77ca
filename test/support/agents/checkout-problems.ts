import { datedVersions, schemaProblems, type DatedVersion } from './answer-schemas.ts';
import type { AnswerKind } from './small-schemas.ts';

/** Rules of answers to agents that no schema can say (docs/rules/agent-dialects.md#checks). */

interface Total {
  readonly type: string;
  readonly amount: number;
}
interface Line {
  readonly id: string;
  readonly totals: readonly Total[];
}
interface Group {
  readonly line_item_ids: readonly string[];
  readonly options: readonly { readonly id: string; readonly totals: readonly Total[] }[];
  readonly selected_option_id?: string;
}
interface Method {
  readonly line_item_ids: readonly string[];
  readonly destinations?: readonly { readonly id: string }[];
  readonly selected_destination_id?: string;
  readonly groups?: readonly Group[];
}
interface Applied {
  readonly amount: number;
  readonly allocations?: readonly { readonly path: string; readonly amount: number }[];
}
interface Basket {
  readonly ucp: { readonly version: string };
  readonly status?: string;
  readonly continue_url?: string;
  readonly order?: object;
  readonly line_items: readonly Line[];
  readonly totals: readonly Total[];
  readonly discounts?: { readonly applied: readonly Applied[] };
  readonly fulfillment?: { readonly methods: readonly Method[] };
  readonly payment?: { readonly instruments: readonly object[] };
}

const isOlder = ({ ucp }: Basket): boolean => ucp.version === '2026-01-11';
const lowers = (type: string): boolean => type === 'discount' || type === 'items_discount';
const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
const amountsOf = (totals: readonly Total[], type: string): readonly number[] =>
  totals.filter((total) => total.type === type).map(({ amount }) => amount);
const sumOf = (totals: readonly Total[], type: string): number => sum(amountsOf(totals, type));

const when = (isBroken: boolean, problem: string): readonly string[] => (isBroken ? [problem] : []);

const totalsProblems = (totals: readonly Total[], older: boolean, where: string): readonly string[] => {
  const parts = totals.filter(({ type }) => type !== 'total');
  const signed = parts.map(({ type, amount }) => (older && lowers(type) ? -amount : amount));
  return [
    ...['subtotal', 'total'].flatMap((type) =>
      when(amountsOf(totals, type).length !== 1, `${where}: must have one ${type}`),
    ),
    ...when(sum(signed) !== sumOf(totals, 'total'), `${where}: entries must add up to the total`),
  ];
};

const sumProblems = (body: Basket): readonly string[] => {
  const ofLines = (type: string): number => sum(body.line_items.map(({ totals }) => sumOf(totals, type)));
  return [
    ...totalsProblems(body.totals, isOlder(body), 'totals'),
    ...when(amountsOf(body.totals, 'tax').length !== 1, 'totals: must have one tax'),
    ...body.line_items.flatMap(({ totals }, index) =>
      totalsProblems(totals, isOlder(body), `line_items[${index}].totals`),
    ),
    ...['subtotal', 'items_discount'].flatMap((type) =>
      when(ofLines(type) !== sumOf(body.totals, type), `totals: ${type} must be the sum of the lines'`),
    ),
  ];
};

const discountProblems = (body: Basket): readonly string[] => {
  if (!body.discounts) return [];
  const { applied } = body.discounts;
  const allocations = applied.flatMap((discount) => discount.allocations ?? []);
  const atOrder = applied.filter((discount) => discount.allocations === undefined);
  return [
    ...applied.flatMap((discount, index) =>
      when(
        discount.allocations !== undefined &&
          sum(discount.allocations.map(({ amount }) => amount)) !== discount.amount,
        `discounts.applied[${index}]: allocations must add up to the amount`,
      ),
    ),
    ...body.line_items.flatMap(({ totals }, index) =>
      when(
        sum(
          allocations.filter(({ path }) => path === `$.line_items[${index}]`).map(({ amount }) => amount),
        ) !== Math.abs(sumOf(totals, 'items_discount')),
        `line_items[${index}]: items_discount must be the sum of its allocations`,
      ),
    ),
    ...when(
      allocations.some(({ path }) => !/^\$\.line_items\[\d+\]$/.test(path)),
      'discounts: an allocation must be to a line',
    ),
    ...when(
      sum(atOrder.map(({ amount }) => amount)) !== Math.abs(sumOf(body.totals, 'discount')),
      'totals: discount must be the sum of the discounts without allocations',
    ),
  ];
};

const groupProblems = (group: Group, older: boolean, where: string): readonly string[] => [
  ...group.options.flatMap(({ totals }, index) => {
    const full = amountsOf(totals, 'subtotal').length === 0 ? [] : totalsProblems(totals, older, 'option');
    return [
      ...when(amountsOf(totals, 'total').length !== 1, `${where}: option ${index} must have one total`),
      ...full.map((problem) => `${where}: ${problem}`),
    ];
  }),
  ...when(
    new Set(group.options.map(({ id }) => id)).size !== group.options.length,
    `${where}: options must have ids of their own`,
  ),
  ...when(
    group.selected_option_id !== undefined &&
      !group.options.some(({ id }) => id === group.selected_option_id),
    `${where}: the selected option must be one of its options`,
  ),
];

const fulfilmentProblems = (body: Basket, mayHaveGroups: boolean): readonly string[] => {
  const methods = body.fulfillment?.methods ?? [];
  const lines = new Set(body.line_items.map(({ id }) => id));
  const chosen = methods
    .flatMap(({ groups }) => groups ?? [])
    .flatMap(({ options, selected_option_id: id }) => options.filter((option) => option.id === id));
  return [
    ...when(methods.length > 1, 'fulfillment: must have one method'),
    ...methods.flatMap((method) => {
      const groups = method.groups ?? [];
      const grouped = groups.flatMap(({ line_item_ids: ids }) => ids);
      return [
        ...when(!mayHaveGroups && groups.length > 1, 'fulfillment: must have one group'),
        ...when(
          method.line_item_ids.some((id) => !lines.has(id)),
          'fulfillment: must name lines of the checkout',
        ),
        ...when(
          groups.length > 0 && grouped.toSorted().join() !== method.line_item_ids.toSorted().join(),
          'fulfillment: every line must be in one group',
        ),
        ...when(
          method.selected_destination_id !== undefined &&
            !method.destinations?.some(({ id }) => id === method.selected_destination_id),
          'fulfillment: the selected destination must be one of its destinations',
        ),
        ...groups.flatMap((group, index) => groupProblems(group, isOlder(body), `groups[${index}]`)),
      ];
    }),
    ...when(
      sum(chosen.map(({ totals }) => sumOf(totals, 'total'))) !== sumOf(body.totals, 'fulfillment'),
      'totals: fulfillment must be the price of the selected options',
    ),
  ];
};

const nullsIn = (value: unknown, path: string): readonly string[] => {
  if (value === null) return [`${path}: null members are left out`];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => nullsIn(inner, `${path}.${name}`));
};

const stateProblems = (body: Basket): readonly string[] => [
  ...when(
    body.status === 'requires_escalation' && body.continue_url === undefined,
    'continue_url: must say where the buyer goes on',
  ),
  ...when((body.status === 'completed') !== (body.order !== undefined), 'order: stands once completed'),
  ...when(
    (body.payment?.instruments ?? []).some((instrument) => 'credential' in instrument),
    'payment: credentials are never shown',
  ),
];

const versionOf = (body: Basket): DatedVersion | undefined =>
  datedVersions.find((version) => version === body.ucp.version);

const schemaProblemsOf = (kind: AnswerKind, body: Basket): readonly string[] => {
  const version = versionOf(body);
  return version === undefined ? [] : schemaProblems(kind, version, body);
};

/**
 * Everything that is wrong with the body of a checkout session, in a dated dialect; of another version only what no
 * schema says. `groups`: the agent may be shown several.
 */
export const checkoutProblems = (
  answer: unknown,
  { groups }: { readonly groups: 'one' | 'many' } = { groups: 'one' },
): readonly string[] => {
  const body = answer as Basket;
  const ofSchema = schemaProblemsOf('checkout', body);
  if (ofSchema.length > 0) return ofSchema;
  return [
    ...nullsIn(body, '$'),
    ...stateProblems(body),
    ...sumProblems(body),
    ...discountProblems(body),
    ...fulfilmentProblems(body, groups === 'many'),
  ];
};

/** The same of a cart. */
export const cartProblems = (answer: unknown): readonly string[] => {
  const body = answer as Basket;
  const ofSchema = schemaProblemsOf('cart', body);
  return ofSchema.length > 0
    ? ofSchema
    : [...nullsIn(body, '$'), ...sumProblems(body), ...discountProblems(body)];
};

/** The same of an order. */
export const orderProblems = (answer: unknown): readonly string[] => {
  const body = answer as Basket;
  const ofSchema = schemaProblemsOf('order', body);
  return ofSchema.length > 0 ? ofSchema : [...nullsIn(body, '$'), ...sumProblems(body)];
};
