import { metadataOf, type Intent, type StripeBooks } from './stripe-books.ts';
import {
  error,
  missing,
  refusedAmount,
  unknownParameter,
  wrongSecret,
  type Answer,
  type Form,
  type Json,
} from './stripe-rules.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly form: Form;
  /** What it is asked with: the shop's secret key, or the publishable one of a browser. */
  readonly apiKey: string;
}

/** Pages of Stripe's own, with the intent that is paid there (https://docs.stripe.com/api/checkout/sessions). */
const createPages = (books: StripeBooks) => {
  const pages = new Map<string, Json & { readonly intent: Intent }>();
  const create = (form: Form): Answer => {
    const amount = 'line_items[0][price_data][unit_amount]';
    const currency = form['line_items[0][price_data][currency]'] ?? '';
    const refused = refusedAmount(form[amount], currency, amount);
    if (refused) return refused;
    const usage = form['payment_intent_data[setup_future_usage]'];
    const method = form['payment_intent_data[capture_method]'];
    const intent = books.open('payment_intent', {
      ...{ ...form, currency, amount: form[amount] ?? '' },
      ...(usage && { setup_future_usage: usage }),
      ...(method && { capture_method: method }),
    });
    const id = books.next('cs');
    const page = {
      ...{ id, object: 'checkout.session', status: 'open', payment_status: 'unpaid', currency },
      ...{ amount_total: intent.amount, metadata: metadataOf(form), payment_intent: intent, intent },
      url: `https://checkout.stripe.com/${id}`,
    };
    pages.set(id, page);
    return [200, page];
  };
  const expire = (id: string): Answer => {
    const page = pages.get(id);
    if (!page) return missing();
    if (page['status'] !== 'open')
      return error(400, 'invalid_request_error', null, 'Only open sessions can be expired.');
    Object.assign(page, { status: 'expired' });
    return [200, page];
  };
  return { pages, create, expire };
};

/** What an owner has registered (https://docs.stripe.com/payments/payment-methods/pmd-registration). */
const domains: Readonly<Record<string, Json>> = {
  '127.0.0.1': { apple_pay: { status: 'active' }, google_pay: { status: 'active' } },
  'unproven.example': {
    apple_pay: { status: 'inactive', status_details: { error_message: 'The domain could not be verified.' } },
    google_pay: { status: 'active' },
  },
};

const domainsNamed = (name: string): Answer => {
  const known = domains[name];
  const data = known ? [{ ...known, object: 'payment_method_domain', domain_name: name, enabled: true }] : [];
  return [200, { object: 'list', data, has_more: false }];
};

/** What the double answers, endpoint by endpoint. */
export const createRoutes = (books: StripeBooks) => {
  const { pages, create, expire } = createPages(books);

  const search = (form: Form): Answer => {
    const invoiceId = /'([^']+)'$/.exec(form['query'] ?? '')?.[1];
    const data = [...books.intents.values()].filter(
      ({ metadata }) => (metadata as Form)['invoiceId'] === invoiceId,
    );
    return [200, { object: 'search_result', data, has_more: false }];
  };

  const ofIntent = ({ method, form, apiKey }: Asked, id: string, verb: string | undefined): Answer => {
    const intent = books.intents.get(id);
    if (!intent) return missing();
    const isBrowser = apiKey.startsWith('pk_');
    if (method === 'GET')
      return isBrowser && form['client_secret'] !== intent.client_secret
        ? wrongSecret(intent.object)
        : [200, intent];
    if (verb === 'confirm') return books.confirmBy(intent, form, isBrowser);
    return verb === undefined ? missing() : books.change(intent, verb, form);
  };

  const ofRefund = ({ method, form }: Asked, id: string | undefined): Answer => {
    const found = books.refunds.get(id ?? '');
    if (id) return found ? [200, found] : missing();
    if (method === 'POST') return books.refund(form);
    const data = [...books.refunds.values()].filter((one) => one.payment_intent === form['payment_intent']);
    return [200, { object: 'list', data, has_more: false }];
  };

  const answer = (asked: Asked): Answer => {
    const { path, form } = asked;
    const [kind = '', id, verb] = path.replace('/v1/', '').replace('checkout/', 'checkout-').split('/');
    switch (kind) {
      case 'payment_intents':
        if (id === 'search') return search(form);
        return id ? ofIntent(asked, id, verb) : books.createIntent(form);
      case 'setup_intents':
        return id ? ofIntent(asked, id, verb) : books.createSetUp(form);
      case 'checkout-sessions':
        if (id && verb) return expire(id);
        if (id) return pages.has(id) ? [200, pages.get(id) ?? {}] : missing();
        return create(form);
      case 'refunds':
        return ofRefund(asked, id);
      case 'customers':
        return [200, { id: books.next('cus'), object: 'customer' }];
      case 'payment_methods':
        return books.detach(id ?? '');
      // https://docs.stripe.com/api/payment_method_domains/list
      case 'payment_method_domains':
        return domainsNamed(form['domain_name'] ?? '');
      case 'balance':
        return [200, { object: 'balance' }];
      default:
        return missing();
    }
  };

  const route = (asked: Asked): Answer => {
    const { method, path, form, apiKey } = asked;
    // https://docs.stripe.com/keys: a publishable key is good for confirming and looking at an intent only.
    const isBrowsers = apiKey.startsWith('pk_') && /_intents\/\w+(\/confirm)?$/.test(path);
    if (!apiKey.startsWith('sk_') && !isBrowsers)
      return error(401, 'invalid_request_error', null, 'Invalid API Key provided.');
    const [, endpoint = '', , verb] = /^\/v1\/(checkout\/\w+|\w+)(\/\w+)?(?:\/(\w+))?$/.exec(path) ?? [];
    const unknown =
      method === 'POST' ? unknownParameter(verb ? `${endpoint} ${verb}` : endpoint, form) : null;
    if (unknown) return unknown;
    const [status, body] = answer(asked);
    const fields = Object.entries(form).flatMap(([name, value]) =>
      name.startsWith('expand[') ? [value] : [],
    );
    return [status, books.banks.expanded(body, '', fields)];
  };

  const payIn = (id: string): void => {
    const page = pages.get(id);
    const intent = page?.intent ?? books.intents.get(id);
    if (!intent) throw new Error(`there is no session ${id}`);
    Object.assign(intent, { card: 'pm_card_visa' });
    books.succeed(intent);
    if (!page) return;
    // https://docs.stripe.com/api/checkout/sessions/object: not paid while it is only held.
    const isHeld = intent.status === 'requires_capture';
    Object.assign(page, { status: 'complete', payment_status: isHeld ? 'unpaid' : 'paid' });
    books.tell('checkout.session.completed', { ...page, payment_intent: intent.id });
  };
  return { route, payIn };
};
