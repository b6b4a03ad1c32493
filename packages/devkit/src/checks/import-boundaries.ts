import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { boundaryRules } from './boundary-rules.ts';
import { type Check, outcomeOf } from './check.ts';

export interface BoundaryViolation {
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const reasons = new Map(boundaryRules.map((rule) => [rule.name, rule.comment ?? '']));

/** Finds the imports in a workspace that its boundary rules forbid. */
export async function findBoundaryViolations(
  root: string,
): Promise<{ modules: number; violations: BoundaryViolation[] }> {
  const { output } = await cruise(
    ['packages', 'services', 'deploy'],
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: boundaryRules },
      // Type imports count too, because they couple modules as much as other imports.
      tsPreCompilationDeps: true,
      combinedDependencies: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: ['^packages/[^/]+/fixtures/', '^services/console/web/dist/'] },
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  );
  return summarize(output);
}

function summarize(output: ICruiseResult | string): {
  modules: number;
  violations: BoundaryViolation[];
} {
  if (typeof output === 'string') throw new Error(`Unexpected report: ${output}`);
  return {
    modules: output.modules.length,
    violations: output.summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      from,
      to,
      reason: reasons.get(rule.name) ?? '',
    })),
  };
}

export const importBoundaries: Check = {
  name: 'import boundaries',
  run: async (root) => {
    const { modules, violations } = await findBoundaryViolations(root);
    return outcomeOf(
      violations.map(({ rule, from, to, reason }) => `${from} imports ${to}\n  ${rule}: ${reason}`),
      `${modules} modules`,
    );
  },
};
