import { Component, type ReactNode } from 'react';
import { Failure } from '../components/states.tsx';

interface CrashBoundaryProps {
  readonly children: ReactNode;
  /** The address of the page. If it changes, the error is removed. */
  readonly place: string;
}

/**
 * If a page throws, shows the error in its place. The navigation and the other pages stay usable. It is a class,
 * because React has no hook for this: https://react.dev/reference/react/Component#static-getderivedstatefromerror
 */
export class CrashBoundary extends Component<CrashBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidUpdate({ place }: CrashBoundaryProps): void {
    if (place !== this.props.place && this.state.error !== undefined) {
      this.setState({ error: undefined });
    }
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Failure error={error} retry={() => this.setState({ error: undefined })} />;
  }
}
