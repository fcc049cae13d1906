import { Component, type ComponentChildren } from "preact";

interface SteadyProps {
  /** The content is drawn again when one of these changes. */
  of: readonly unknown[];
  draw(): ComponentChildren;
}

/**
 * Draws again only what has changed. In a list that grows, a drawing that was kept by `useMemo`
 * would keep the whole list alive as it was at that time, and so for each of its items.
 */
export class Steady extends Component<SteadyProps> {
  override shouldComponentUpdate({ of }: SteadyProps): boolean {
    return of.some((it, index) => !Object.is(it, this.props.of[index]));
  }

  override render({ draw }: SteadyProps): ComponentChildren {
    return draw();
  }
}
