/** The key to every shop of the benchmark. */
export const backofficeKey = 'bench-backoffice-key-of-a-benchmark';

/** The one who keeps a shop's subscriptions. Errors: with what the shop answered. */
export const backoffice = (port: number) => {
  const ask = async (method: string, path: string, body: object): Promise<{ readonly id: string }> => {
    const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1/webhooks${path}`, {
      method,
      headers: { authorization: `Bearer ${backofficeKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} /webhooks answered ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  return {
    /** Returns the subscription's id. */
    subscribe: async (topic: string, targetUrl: string): Promise<string> =>
      (await ask('POST', '', { name: 'bench', topic, targetUrl })).id,
    activate: async (id: string, isActive: boolean): Promise<void> => {
      await ask('PUT', `/${id}`, { isActive });
    },
  };
};
