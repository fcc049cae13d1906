import { keyHelp } from "../state/keys.ts";
import { CloseIcon } from "./icons.tsx";
import { Modal } from "./overlay.tsx";

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Help" onClose={onClose}>
      <header class="modal-head">
        <h2>Keys</h2>
        <button type="button" class="tool" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      <div class="help">
        {keyHelp.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <table>
              <tbody>
                {keys.map(([key, text]) => (
                  <tr key={key}>
                    <th scope="row">
                      {key.split(" ").map((part) => (
                        <kbd key={part}>{part}</kbd>
                      ))}
                    </th>
                    <td>{text}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        ))}
      </div>
    </Modal>
  );
}
