import { Component, type ReactNode } from 'react';
import { Failure } from '../components/states.tsx';

interface CrashBoundaryProps {
  readonly children: ReactNode;
  /** Another page is a new attempt. */
  readonly place: string;
}

/** A fault of one page leaves the navigation and the other pages usable. React has no hook for it. */
export class CrashBoundary extends Component<
  CrashBoundaryProps,
  { error: unknown; place: string }
> {
  override state: { error: unknown; place: string } = { error: undefined, place: '' };

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
