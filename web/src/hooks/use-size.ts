import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The inner size of an element; undefined until it has been measured. */
export function useSize(element: RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    const measure = () =>
      setSize((known) => {
        const [width, height] = [target.clientWidth, target.clientHeight];
        return known.width === width && known.height === height ? known : { width, height };
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
