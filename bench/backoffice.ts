/** The key to every shop of the benchmark. */
export const backofficeKey = 'bench-backoffice-key-of-a-benchmark';

/** The one who keeps a shop's subscriptions and products. Errors: with what the shop answered. */
export const backoffice = (port: number) => {
  const headers = { authorization: `Bearer ${backofficeKey}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body: object): Promise<{ readonly id: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  return {
    /** Returns the subscription's id. */
    subscribe: async (topic: string, targetUrl: string): Promise<string> =>
      (await ask('POST', '/webhooks', { name: 'bench', topic, targetUrl })).id,
    activate: async (id: string, isActive: boolean): Promise<void> => {
      await ask('PUT', `/webhooks/${id}`, { isActive });
    },
    renameProduct: async (id: string, rootName: string): Promise<void> => {
      await ask('PUT', `/products/${id}`, { rootName });
    },
  };
};
