import { bodyCases } from './body-cases.ts';
import type { CaseGroup } from './case.ts';
import { credentialCases } from './credential-cases.ts';
import { limitCases } from './limit-cases.ts';
import { messageCases } from './message-cases.ts';
import { openApiCases } from './openapi-cases.ts';
import { outageCases } from './outage-cases.ts';
import { parameterCases } from './parameter-cases.ts';
import { replyCases } from './reply-cases.ts';
import { routeCases } from './route-cases.ts';
import { toolCases } from './tool-cases.ts';

export const CASE_GROUPS: readonly CaseGroup[] = [
  ...credentialCases,
  ...routeCases,
  ...bodyCases,
  ...parameterCases,
  ...messageCases,
  ...toolCases,
  ...replyCases,
  ...limitCases,
  ...openApiCases,
  // Last: they take neighbours away for a while.
  ...outageCases,
];
