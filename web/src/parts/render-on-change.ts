import { Component, type ComponentChildren } from "preact";

interface RenderOnChangeProps {
  /** The content is rendered again when one of these values changes. */
  of: readonly unknown[];
  draw(): ComponentChildren;
}

/**
 * Renders its content again only when one of the given values changes. In a growing list, content
 * kept by `useMemo` would hold a reference to the whole list at that time, for each of its items.
 */
export class RenderOnChange extends Component<RenderOnChangeProps> {
  override shouldComponentUpdate({ of }: RenderOnChangeProps): boolean {
    return of.some((it, index) => !Object.is(it, this.props.of[index]));
  }

  override render({ draw }: RenderOnChangeProps): ComponentChildren {
    return draw();
  }
}
