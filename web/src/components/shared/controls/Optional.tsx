// What comes after the rest, and may fail to come: something else stands in its place, and the page
// goes on. It is tried again when the connection is back.
import { Component, type ReactNode, Suspense } from "react";

interface Props {
  fallback: ReactNode;
  failed?: ReactNode; // instead of `fallback` when it cannot come
  children: ReactNode;
}

export class Optional extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError = () => ({ failed: true });

  override componentDidCatch(): void {
    addEventListener("online", this.again, { once: true }); // after the part's own: it begins anew
  }

  override componentWillUnmount(): void {
    removeEventListener("online", this.again);
  }

  private readonly again = (): void => this.setState({ failed: false });

  override render(): ReactNode {
    const { fallback, failed = fallback, children } = this.props;
    return this.state.failed ? failed : <Suspense fallback={fallback}>{children}</Suspense>;
  }
}
