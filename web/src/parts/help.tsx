import { keyHelp } from "../state/keys.ts";
import { Modal } from "./overlay.tsx";

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Modal label="Help" onClose={onClose}>
      <h2>Keys</h2>
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
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Modal>
  );
}
