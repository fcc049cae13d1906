import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A native dialog that is open as long as it is drawn. */
export function Modal(props: { label: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closing gives the focus back to where it was.
    return () => shown?.close();
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) props.onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, as every dialog.
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
