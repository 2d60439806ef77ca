import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import type { PaymentHandler } from './protocol-session.ts';

/** Of a payment provider, what agents are told. */
export interface HandledProvider extends Pick<PaymentProvider, 'alias' | 'direct' | 'agentHandler'> {
  readonly methods: readonly Pick<PaymentMethodInfo, 'methodAlias' | 'methodType' | 'integration'>[];
}

/** A way to pay, and the method that it stands for. */
export interface HandledMethod {
  readonly providerAlias: string;
  readonly methodAlias: string;
  readonly handler: PaymentHandler;
}

export interface HandlerFacts {
  readonly schemaBaseUrl: string;
  readonly storeName: string;
  /** Whether agents can act for members: only members buy on account. */
  readonly hasMembers: boolean;
}

/** `Café & Co` → `cafe_co`: a segment of a reverse-domain name, which begins with a letter. */
const segmentOf = (name: string): string => {
  const letters = name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[a-z]/.test(letters) ? letters : `shop${letters === '' ? '' : `_${letters}`}`;
};

const instrumentOf = ({
  methodAlias,
  methodType,
  integration,
}: HandledProvider['methods'][number]): string => {
  if (methodType !== null) return segmentOf(methodType);
  return integration === 'HostedFields' ? 'card' : segmentOf(methodAlias);
};

/** The ways to pay of the shop as agents know them (docs/rules/agents.md#payment-handlers), in the shop's order. */
export const handledMethods = (
  providers: readonly HandledProvider[],
  { schemaBaseUrl, storeName, hasMembers }: HandlerFacts,
): readonly HandledMethod[] =>
  providers
    .filter(({ direct }) => direct?.kind !== 'account' || hasMembers)
    .flatMap(({ alias, methods, agentHandler: own = {} }) =>
      methods.map((method): HandledMethod => {
        const { methodAlias } = method;
        return {
          providerAlias: alias,
          methodAlias,
          handler: {
            id: own.handlerId ?? `${alias}:${methodAlias}`,
            name: own.handlerName ?? `com.${segmentOf(storeName)}.${segmentOf(alias)}`,
            version: null,
            specUrl: own.specUrl ?? `${schemaBaseUrl}/specification/payment-handler-guide`,
            schemaUrl: own.schemaUrl ?? `${schemaBaseUrl}/schemas/payment_handler.json`,
            instruments: [{ type: instrumentOf(method) }],
            config: own.config?.() ?? {},
          },
        };
      }),
    );
