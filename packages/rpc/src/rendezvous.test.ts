import { describe, expect, it } from 'vitest';
import { hashText, rendezvousChoice } from './rendezvous.ts';

const replicas = ['10.0.0.1:50051', '10.0.0.2:50051', '10.0.0.3:50051', '10.0.0.4:50051'].map(
  (address) => ({ address, hash: hashText(address) }),
);
const organizations = Array.from({ length: 4_000 }, (_, index) => `organization-${index}`);

describe('the choice of a replica', () => {
  it('does not depend on the order of the replicas', () => {
    const reversed = replicas.toReversed();
    for (const organization of organizations) {
      expect(rendezvousChoice(organization, reversed)).toBe(
        rendezvousChoice(organization, replicas),
      );
    }
  });

  it('spreads organizations evenly', () => {
    const counts = new Map<string | undefined, number>();
    for (const organization of organizations) {
      const address = rendezvousChoice(organization, replicas)?.address;
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
    expect(counts.size).toBe(replicas.length);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(800);
      expect(count).toBeLessThan(1_200);
    }
  });

  it('moves only the organizations of a replica that is removed', () => {
    const [gone, ...left] = replicas;
    const kept = organizations.filter((name) => rendezvousChoice(name, replicas) !== gone);
    expect(kept.length).toBeLessThan(organizations.length);
    for (const organization of kept) {
      const before = rendezvousChoice(organization, replicas);
      expect(rendezvousChoice(organization, left)).toBe(before);
    }
  });

  it('is undefined without replicas', () => {
    const nobody: typeof replicas = [];
    expect(rendezvousChoice('acme', nobody)).toBeUndefined();
  });
});
