import { finding, management, shortResponse, type Attack } from '../attack.ts';

/** Inner addresses of clouds and networks, in several spellings. */
const inner = [
  'http://168.63.129.16/',
  'http://[::ffff:168.63.129.16]/',
  'http://[::ffff:a83f:8110]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://127.1/',
  'http://[::1]/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://198.18.0.1/',
];

/** Has the shop call where only machines inside should. */
export const attack: Attack = {
  title: "webhook targets inside the network or the cloud's own",
  before: '168.63.129.16 (and mapped into IPv6) was called',
  kind: 'destructive',
  run: async ({ shop }) => {
    const complaints: string[] = [];
    for (const targetUrl of inner) {
      const made = await shop.admin.post(`${management}/webhooks`, {
        ...{ name: 'hostile', topic: 'basket.updated', targetUrl },
      });
      if (made.status === 400) continue;
      complaints.push(`${targetUrl}: ${shortResponse(made)}`);
      if (made.status === 201) await shop.admin.delete(`${management}/webhooks/${made.body.id}`);
    }
    return finding(`all ${inner.length} refused with 400`, complaints);
  },
};
