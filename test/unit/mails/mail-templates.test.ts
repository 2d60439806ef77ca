import { expect } from 'chai';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillIn } from '#mails/template.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';

/** docs/rules/mails.md#templates */
describe('the templates of mails', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillroll-templates-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const put = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text);
  const text = async (path: string): Promise<string> => {
    const { text: template } = await createMailTemplates(folder).load(path);
    return fillIn(template, { notification: {}, store: { name: 'Harbour' }, config: {} }).text;
  };

  it('are the files of the shop before those that are shipped, each by itself', async () => {
    await put('refund.txt', 'Own {{store.name}}');
    expect(await text('refund')).to.equal('Own Harbour');
    const { html } = await createMailTemplates(folder).load('refund');
    expect(JSON.stringify(html)).to.include('We have refunded');
  });

  it('are asked for again later where the disk does not give them', async () => {
    await symlink('round.txt', join(folder, 'round.txt'));
    await put('round.html', '<p>round</p>');
    const problem = await createMailTemplates(folder)
      .problemOf('round')
      .catch((error: unknown) => error);
    expect(problem).to.be.instanceOf(EngineUnavailable);
    expect(String(problem)).to.include('ELOOP').and.to.not.include(folder);
  });

  it('are read once for many mails in a row', async () => {
    await put('thanks.txt', 'one');
    await put('thanks.html', '<p>one</p>');
    const templates = createMailTemplates(folder);
    const [first, second] = [await templates.load('thanks'), await templates.load('thanks')];
    expect(second).to.equal(first);
    expect(await templates.problemOf('none')).to.equal('there is no none.txt');
    await put('none.txt', 'two');
    await put('none.html', '<p>two</p>');
    expect(await templates.problemOf('none')).to.equal(null);
  });

  it('are refused where they lead out of their folder, or are too long', async () => {
    const templates = createMailTemplates(folder);
    const outside = 'must be a path of letters, digits, - and _ within the folder of templates';
    for (const path of [
      '../refund',
      '/refund',
      'a/../refund',
      'refund.txt',
      '',
      'a//b',
      'parts/head',
      '.a',
      'a\0',
    ])
      expect(await templates.problemOf(path), path).to.equal(outside);
    await put('long.txt', 'x'.repeat(300_000));
    await put('long.html', '');
    expect(await templates.problemOf('long')).to.equal('long.txt must be 262144 bytes or less');
  });
});
