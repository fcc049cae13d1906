import { render } from "preact";
import "./styles/tokens.css";

const root = document.getElementById("app");
if (root) render(<main>Troupe</main>, root);
