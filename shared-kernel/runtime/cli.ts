import type { Command } from 'commander';

/** `tillroll config check`: says what would be used, or everything that is wrong with it. */
export const addConfigCommands = (program: Command): void => {
  program
    .command('config')
    .description('The configuration')
    .command('check')
    .description('Check file and environment, and print what would be used')
    .action(async () => {
      const [{ loadConfig }, { stringify }] = await Promise.all([import('./config.ts'), import('yaml')]);
      const config = loadConfig();
      process.stdout.write(`The configuration is valid.\n\n${stringify(JSON.parse(withoutSecrets(config)))}`);
    });
};

const secrets = new Set([
  'applicationKey',
  'backofficeApiKey',
  'testingSecret',
  'downloadTokenSecret',
  'simulationSecret',
  'clientSecretHash',
]);

const withoutSecrets = (config: object): string =>
  JSON.stringify(config, (name, value: unknown) => (secrets.has(name) && value ? '(set)' : value));
