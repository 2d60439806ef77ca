import { refusalGroups } from './refusal-table.ts';
import type { Refusal } from './refusal.ts';

const introduction = `# Errors

Every refusal has a \`code\`, for programs, beside \`success: false\` and a \`message\`, for people. A code keeps its meaning; the words of a message may change. \`errors\` names the fields, where it is about fields. Which codes an endpoint may give is in \`/reference\` and \`/openapi.json\`.

- **409, 429 and 503 with a time after the status:** the same request may succeed that much later, as \`Retry-After\` says. Send a change under the same \`Idempotency-Key\`.
- **200:** the response of some endpoints is 200 whatever came of it; \`success\` and \`code\` say what. Codes of other rows may stand in such a response, too.
- **Agents** are refused in the forms of [their protocol](rules/agents.md#refusals): codes of other rows are translated.
- **Callbacks** of providers are refused with \`message\` alone, which is all that a provider logs.
- **A code that you do not know** is to be treated by its status.

Written by \`npm run errors-page\`, from the table that the shop goes by.
`;

const statusText = ({ status, retryAfterSeconds }: Refusal): string =>
  retryAfterSeconds === undefined ? String(status) : `${status}, ${retryAfterSeconds} s`;

/** `docs/errors.md`. */
export const printErrorsPage = (): string =>
  [
    introduction,
    ...refusalGroups.flatMap(({ title, refusals }) => [
      `## ${title}\n`,
      '| code | status | when | what to do |',
      '|---|---|---|---|',
      ...Object.entries<Refusal>(refusals).map(
        ([code, refusal]) => `| \`${code}\` | ${statusText(refusal)} | ${refusal.when} | ${refusal.remedy} |`,
      ),
      '',
    ]),
  ].join('\n');
