export const ORGANIZATION_PAGES = [
  'keys',
  'playground',
  'usage',
  'limits',
  'requests',
  'members',
  'projects',
  'settings',
] as const;
export type OrganizationPage = (typeof ORGANIZATION_PAGES)[number];

export const PLATFORM_PAGES = [
  'fleet',
  'models',
  'plans',
  'organizations',
  'accounts',
  'audit',
] as const;
export type PlatformPage = (typeof PLATFORM_PAGES)[number];

export const pathOf = (organization: string, page: OrganizationPage): string =>
  `/o/${encodeURIComponent(organization)}/${page}`;
export const pathOfRequest = (organization: string, request: string): string =>
  `${pathOf(organization, 'requests')}/${encodeURIComponent(request)}`;
/** The person's own account. */
export const accountPath = '/account';
export const platformPath = (page: PlatformPage): string => `/platform/${page}`;
export const pathOfResource = (kind: string, id: string): string =>
  `/platform/${kind}/${encodeURIComponent(id)}`;
export const pathOfError = (code: string): string => `/errors/${encodeURIComponent(code)}`;
