import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { stillMs } from "../../state/questions.ts";

/**
 * True once `element` has not moved for a while. A question that has just appeared, or just moved
 * under the pointer, must not get a click that was meant for something else.
 */
export function useArmed(element: RefObject<HTMLElement | null>, isVisible: boolean): boolean {
  const [isArmed, setArmed] = useState(false);
  const place = useRef<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const look = () => {
    const top = isVisible ? (element.current?.getBoundingClientRect().top ?? null) : null;
    if (top === place.current) return;
    place.current = top;
    setArmed(false);
    clearTimeout(timer.current);
    if (top !== null) timer.current = setTimeout(() => setArmed(true), stillMs);
  };
  useLayoutEffect(look);
  useEffect(() => {
    const around = element.current?.closest(".waiting-content");
    if (!around) return;
    // Everything that can move the element is in this container.
    const observer = new ResizeObserver(look);
    observer.observe(around);
    return () => observer.disconnect();
  }, [isVisible]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return isArmed;
}
