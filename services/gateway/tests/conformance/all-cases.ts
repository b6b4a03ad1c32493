import { bodyCases } from './body-cases.ts';
import type { CaseGroup } from './case.ts';
import { credentialCases } from './credential-cases.ts';
import { failureCases } from './failure-cases.ts';
import { historyCases } from './history-cases.ts';
import { limitCases } from './limit-cases.ts';
import { messageCases } from './message-cases.ts';
import { modelCases } from './model-cases.ts';
import { openApiCases } from './openapi-cases.ts';
import { outageCases } from './outage-cases.ts';
import { parameterCases } from './parameter-cases.ts';
import { replyCases } from './reply-cases.ts';
import { routeCases } from './route-cases.ts';
import { toolCases } from './tool-cases.ts';

export const CASE_GROUPS: readonly CaseGroup[] = [
  ...credentialCases,
  ...routeCases,
  ...modelCases,
  ...bodyCases,
  ...parameterCases,
  ...messageCases,
  ...historyCases,
  ...toolCases,
  ...replyCases,
  ...failureCases,
  ...limitCases,
  ...openApiCases,
  // These come last, because they freeze neighbours for a while.
  ...outageCases,
];
