// What comes after the rest, and may fail to come: something else stands in its place, and the page
// goes on.
import { Component, type ReactNode, Suspense } from "react";

interface Props {
  fallback: ReactNode;
  failed?: ReactNode; // instead of `fallback` when it cannot come
  children: ReactNode;
}

export class Optional extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError = () => ({ failed: true });

  override render(): ReactNode {
    const { fallback, failed = fallback, children } = this.props;
    return this.state.failed ? failed : <Suspense fallback={fallback}>{children}</Suspense>;
  }
}
