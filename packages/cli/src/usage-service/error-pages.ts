/** Error codes for faults of the service, with their status. docs/operations/client-errors.md has a section for each. */
const FAULTS: Readonly<Record<string, number>> = {
  internal_error: 500,
  upstream_unavailable: 502,
  upstream_model_missing: 502,
  upstream_credentials_rejected: 502,
  rate_limit_unavailable: 503,
  model_availability_unavailable: 503,
  authentication_unavailable: 503,
  infrastructure_rate_limit_exceeded: 503,
  service_unavailable: 503,
};

/** The page of the documentation that explains an error code. */
export function pageAbout(code: string): string {
  const status = FAULTS[code];
  return status === undefined
    ? 'docs/errors.md'
    : `docs/operations/client-errors.md#${status}-${code}`;
}
