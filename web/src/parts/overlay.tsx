import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A native dialog that is open while it is rendered. */
export function Modal(props: { label: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closing returns the focus to the element that had it before.
    return () => shown?.close();
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) props.onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, as in every dialog.
    <dialog
      ref={dialog}
      class="modal"
      aria-label={props.label}
      onClose={props.onClose}
      onClick={closeOutside}
    >
      <div class="modal-body">{props.children}</div>
    </dialog>
  );
}
