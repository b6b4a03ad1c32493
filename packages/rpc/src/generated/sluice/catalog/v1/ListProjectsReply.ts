// Original file: proto/catalog/v1/console.proto

import type { ProjectDetailsInput as _sluice_catalog_v1_ProjectDetailsInput, ProjectDetails as _sluice_catalog_v1_ProjectDetails } from '../../../sluice/catalog/v1/ProjectDetails.ts';

export interface ListProjectsReplyInput {
  'projects'?: (_sluice_catalog_v1_ProjectDetailsInput)[];
  'nextAfter'?: (string);
  'total'?: (number);
}

export interface ListProjectsReply {
  'projects': (_sluice_catalog_v1_ProjectDetails)[];
  'nextAfter': (string);
  'total': (number);
}
