import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import { listKeys, rotateKeys } from '#command/cli/keys-command.ts';
import { filesIn } from '#test/support/files-with.ts';
import { get, keyed, manage } from '#test/support/requests.ts';
import { noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

interface Key {
  readonly kid: string;
  readonly state: string;
  readonly dateCreated: string;
  readonly signsFrom: string;
  readonly signsUntil: string | null;
  readonly acceptedUntil: string | null;
  readonly dateRemoved: string | null;
  readonly publicKey: object;
}

const later = (instant: string, seconds: number): string =>
  new Date(Date.parse(instant) + seconds * 1000).toISOString();

// docs/rules/agents.md#signing-keys
describe('the signing keys of a shop, as staff and agents see them', () => {
  let folder: string;
  let shop: TestShop;
  const lines = new PassThrough();
  const logged = text(lines);
  /** Of every key there ever was. */
  const privateHalves = new Set<string>();
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-keys-'));
    shop = await TestShop.open({
      environment: {
        DATA_DIR: folder,
        EVENT_STORE: `sqlite:${folder}/events.db`,
        READ_STORE: `sqlite:${folder}/read.db`,
        STATE_STORE: `sqlite:${folder}/state.db`,
        BUS: `sqlite:${folder}/bus.db`,
        Protocol__Ucp__SigningKeyRotationDays: '30',
      },
      log: pino({ level: 'trace' }, lines),
    });
  });
  after(() => rmSync(folder, { recursive: true }));

  const admin = (request: ReturnType<typeof get>) => shop.given().by(shop.admin).when(request);
  const keys = async (): Promise<readonly Key[]> => {
    for (const { privateHalf } of shop.shop.runtime.reference.signingKeys.accepted())
      privateHalves.add(privateHalf() ?? '');
    return (await admin(manage.get('/agent-keys')).then(200)).body.items;
  };
  const states = async () => (await keys()).map(({ state }) => state);
  const rotate = (wish: object = {}) => admin(manage.post('/agent-keys/rotate', wish));
  const wait = (seconds: number) => shop.tester.post('/testing/clock', { advanceSeconds: seconds });
  const runJob = async () => (await shop.tester.post('/testing/jobs/rotate-signing-keys')).body;
  const signer = () => shop.shop.runtime.ownKeys.signer().kid;
  /** Everywhere that agents look. */
  const published = async () => {
    const pages = ['ucp', 'ucp/2026-01-11', 'ucp/2026-04-08', 'ucp-test-agent/ada'];
    const bodies = await Promise.all(
      pages.map(
        async (page) =>
          (
            await shop
              .given()
              .when(get(`/.well-known/${page}`))
              .then(200)
          ).body,
      ),
    );
    const lists = bodies.map(({ signing_keys: own }) => own.map(({ kid }: Key) => kid));
    for (const list of lists) expect(list).to.deep.equal(lists[0]);
    return lists[0];
  };

  it('begin with one', async () => {
    const [first, ...others] = await keys();
    expect(others).to.deep.equal([]);
    expect(first).to.deep.include({ state: 'active', signsUntil: null, acceptedUntil: null });
    expect(first?.dateCreated).to.equal(first?.signsFrom);
    expect(Object.keys(first?.publicKey ?? {}).sort()).to.deep.equal([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ]);
  });

  it('change in steps: a new key is published for an hour before it signs', async () => {
    const [first] = await keys();
    const { body } = await rotate().then(200);
    const [coming, former] = await keys();
    expect(body.items).to.deep.equal([coming, former]);
    const from = later(coming?.dateCreated ?? '', HOUR);
    expect(coming).to.include({ state: 'coming', signsFrom: from });
    const until = { signsUntil: from, acceptedUntil: later(from, 7 * DAY) };
    expect(former).to.deep.equal({ ...first, ...until });
    expect(await published()).to.deep.equal([former?.kid, coming?.kid]);
    expect(signer()).to.equal(former?.kid);
    await rotate().then(200).and(noNewEvents());
    await wait(HOUR);
    expect(await states()).to.deep.equal(['active', 'retiring']);
    expect(signer()).to.equal(coming?.kid);
  });

  it('leave seven days after they have stopped signing', async () => {
    const [, former] = await keys();
    await wait(7 * DAY - 10);
    expect(await runJob()).to.deep.equal({ rotated: 0, removed: 0 });
    expect(await published()).to.have.length(2);
    await wait(10);
    expect(await runJob()).to.deep.equal({ rotated: 0, removed: 1 });
    expect(await states()).to.deep.equal(['active', 'removed']);
    expect(await published()).not.to.include(former?.kid);
    expect(shop.shop.runtime.ownKeys.find(former?.kid ?? '')).to.equal(undefined);
  });

  it('are followed once they are as old as the setting says, and not twice', async () => {
    await wait(30 * DAY - 7 * DAY - HOUR - 10);
    expect(await runJob()).to.include({ rotated: 0 });
    await wait(10);
    expect(await runJob()).to.include({ rotated: 1 });
    expect(await runJob()).to.include({ rotated: 0 });
    expect(await states()).to.deep.equal(['coming', 'active', 'removed']);
  });

  it('change at once where that is asked for, once for each idempotency key', async () => {
    const ask = keyed('rotate-now-1', manage.post('/agent-keys/rotate', { immediately: true }));
    const { body } = await admin(ask).then(200);
    expect((await admin(ask).then(200)).body).to.deep.equal(body);
    expect(await states()).to.deep.equal(['active', 'retiring', 'retiring', 'removed']);
    expect(signer()).to.equal(body.items[0].kid);
    expect(await published()).to.have.length(3);
  });

  it('are all removed but the new one where one has leaked', async () => {
    await rotate({ immediately: true, removeFormer: true }).then(200);
    expect(await states()).to.deep.equal(['active', 'removed', 'removed', 'removed', 'removed']);
    expect(await published()).to.deep.equal([signer()]);
  });

  it('are listed and rotated from the command line', async () => {
    const running = {
      call: async (method: string, path: string, body?: unknown) =>
        (await admin(method === 'GET' ? manage.get(path) : manage.post(path, body ?? {})).then(200)).body,
    };
    const former = signer();
    const printed = await rotateKeys(running, { immediately: true });
    expect(printed.split('\n')[0]).to.match(new RegExp(`^${signer()}  active    since \\d{4}-`));
    expect(printed.split('\n')[1]).to.match(new RegExp(`^${former}  retiring  accepted until \\d{4}-`));
    expect(await listKeys(running)).to.equal(printed);
  });

  it('are rotated by admins only, who say what they want', async () => {
    await rotate({ immediately: 1 }).then(400).and(noNewEvents());
    await rotate({ removeFormer: true }).then(400).and(noNewEvents());
    await shop.given().when(manage.post('/agent-keys/rotate')).then(401);
    await shop.given().when(manage.get('/agent-keys')).then(401);
  });

  it('show their private halves nowhere: not in answers, in the log of the process, nor in a file', async () => {
    await keys();
    const { body } = await admin(manage.get('/audit/events?type=SigningKeyCreated')).then(200);
    expect(body.events.length).to.be.at.least(3);
    const whole = await shop.admin.get('/backoffice/api/v1/audit/events?type=SigningKeyCreated', {
      Accept: 'application/x-ndjson',
    });
    expect(whole.text.trim().split('\n').length).to.be.at.least(3);
    const answers = whole.text + JSON.stringify([body, await admin(manage.get('/agent-keys')).then(200)]);
    await shop.close();
    lines.end();
    const files = filesIn(folder);
    expect(files.map(({ path }) => path)).to.include.members(['events.db', 'state.db']);
    const places = [
      ...files,
      { path: 'an answer', bytes: Buffer.from(answers) },
      { path: 'the log', bytes: Buffer.from(await logged) },
    ];
    expect(privateHalves.size).to.be.at.least(4);
    for (const half of privateHalves) {
      expect(half).to.have.lengthOf(43);
      const shapes = [
        half,
        Buffer.from(half, 'base64url').toString('base64'),
        Buffer.from(half, 'base64url'),
      ];
      const found = places.filter(({ bytes }) => shapes.some((shape) => bytes.includes(shape)));
      expect(found.map(({ path }) => path)).to.deep.equal([]);
    }
  });
});
