// What comes after the rest, and may fail to come: until then, and if so, `fallback` stands in its place and the page goes on.
import { Component, type ReactNode, Suspense } from "react";

interface Props {
  fallback: ReactNode;
  children: ReactNode;
}

export class Optional extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError = () => ({ failed: true });

  override render(): ReactNode {
    const { fallback, children } = this.props;
    return this.state.failed ? fallback : <Suspense fallback={fallback}>{children}</Suspense>;
  }
}
